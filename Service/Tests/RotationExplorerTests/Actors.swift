/// The steps of all who take part. It computes which steps a state has and what they lead to.
final class Actors {
    let service: PlayedService
    private let sdk: PlayedSDK
    private let broken: BrokenRule?
    private let scenario: Scenario

    init(_ scenario: Scenario, breaking broken: BrokenRule? = nil) async throws {
        self.scenario = scenario
        self.broken = broken
        service = try PlayedService(breaking: broken)
        sdk = try await PlayedSDK()
    }

    var sendsAttempts: Bool { scenario.sendsAttempts }

    func firstWorld() -> World { World(row: service.newSession(), hasSlowClock: scenario.hasSlowClock) }

    /// Visits each state that can follow.
    func visitSteps(from world: World, _ visit: (Step, World) -> Void) {
        visitProcesses(world, visit)
        for index in 0..<world.network.count {
            var next = world
            deliver(index, &next)
            visit(.deliver(world.network[index]), next)
        }
        visitTime(world, visit)
        visitWindow(world, visit)
        if scenario.hasBackups { visitBackups(world, visit) }
        if scenario.hasThief { visitThief(world, visit) }
    }
}

// MARK: The device

extension Actors {
    private func visitProcesses(_ world: World, _ visit: (Step, World) -> Void) {
        guard world.refresh != nil else { return visitStarts(world, visit) }
        if let index = world.network.awaited, let answer = world.network[index].answer {
            var next = world
            receive(answer, of: index, &next)
            visit(.receive(answer), next)
        }
        var lost = world
        disconnect(&lost)
        advance(.lost, &lost)
        visit(.lose, lost)
        var killed = world
        disconnect(&killed)
        killed.refresh = nil
        killed.nonce = nil
        visit(.kill, killed)
    }

    private func visitStarts(_ world: World, _ visit: (Step, World) -> Void) {
        guard let stored = world.store, world.network.count < scenario.requests else { return }
        for isOther in world.nonce == world.otherNonce ? [false] : [false, true] {
            var next = world
            if isOther { swap(&next.nonce, &next.otherNonce) }
            begin(stored, &next)
            if let record = next.store, record != stored {
                var dead = world
                if isOther { swap(&dead.nonce, &dead.otherNonce) }
                (dead.store, dead.nonce) = (record, nil)
                visit(.storeAttempt(record), dead)
            }
            visit(.start(next.refresh?.record ?? stored, nonce: next.nonce), next)
        }
    }

    /// Begins a refresh, up to its first request.
    func begin(_ stored: StoredRecord, _ world: inout World) {
        world.refresh = Refresh(exchange: sdk.start.exchange, record: stored)
        perform(sdk.start.action, &world)
    }

    private func send(_ world: inout World) {
        guard let record = world.refresh?.record, world.network.count < scenario.requests else {
            world.refresh = nil
            return
        }
        let isWrong = world.hasSlowClock
        world.network.add(
            Request(
                generation: record.generation, attempt: record.attempt, nonce: world.nonce, isOld: isWrong,
                isBeforeRotation: isWrong, isBeforeBackup: isWrong))
    }

    /// The process no longer waits for its request.
    private func disconnect(_ world: inout World) {
        guard let index = world.network.awaited else { return }
        world.network[index].isAwaited = false
        world.network[index].answer = nil
        if world.network[index].deliveries > 1 { world.network.remove(at: index) }
    }

    func receive(_ answer: Answer, of index: Int, _ world: inout World) {
        disconnect(&world)
        if answer == .nonceDemanded { world.nonce = .current }
        advance(.answered(answer), &world)
    }

    /// The SDK decides what an event leads to.
    private func advance(_ event: PlayedSDK.Event, _ world: inout World) {
        guard let exchange = world.refresh?.exchange else { return }
        let decision = sdk.decide(event, in: exchange)
        world.refresh?.exchange = decision.exchange
        perform(decision.action, &world)
    }

    private func perform(_ action: PlayedSDK.Action, _ world: inout World) {
        guard let refresh = world.refresh else { return }
        let isStored = sdk.isStored(refresh.record, in: world.store)
        switch action {
        case .prepareAttempt(let isReplacing): return prepareAttempt(of: refresh, replacing: isReplacing, &world)
        case .readSession: return advance(.read(isSame: isStored), &world)
        case .send, .repeatRequest:
            if broken == .makesAnAttemptPerRepetition, action == .repeatRequest {
                world.refresh?.record.attempt = refresh.record.attempt.next
            }
            return send(&world)
        case .store(let generation) where isStored:
            world.store = StoredRecord(generation: generation)
            world.thief?.completed(byThief: false)
        case .signOut where isStored: world.store = nil
        case .store, .signOut, .fail: break
        }
        world.refresh = nil
    }

    private func prepareAttempt(of refresh: Refresh, replacing isReplacing: Bool, _ world: inout World) {
        guard scenario.sendsAttempts else { return advance(.prepared, &world) }
        if isReplacing, broken == .keepsAnAttemptThatIsSpent {
            world.refresh = nil
            return
        }
        if broken == .sendsBeforeTheAttemptIsStored {
            world.attemptsNotStored = min(3, world.attemptsNotStored + 1)
            world.refresh?.record.attempt = .device(refresh.record.generation, version: world.attemptsNotStored)
            return advance(.prepared, &world)
        }
        let isStored = sdk.isStored(refresh.record, in: world.store)
        let existing = isStored ? world.store?.attempt ?? .none : .none
        let new = existing == .none ? Attempt.device(refresh.record.generation) : existing.next
        let prepared = sdk.prepare(existing, new: new, replacing: isReplacing)
        if isStored { world.store?.attempt = prepared.stored }
        world.refresh?.record.attempt = prepared.used
        advance(.prepared, &world)
    }
}

// MARK: The network and time

extension Actors {
    func deliver(_ index: Int, _ world: inout World) {
        var request = world.network[index]
        let reply = service.reply(
            to: PlayedService.Call(
                row: world.row, generation: request.generation, attempt: request.attempt, nonce: request.nonce,
                isOld: request.isOld, isBeforeRotation: request.isBeforeRotation, isSeen: request.isSeen))
        if reply.remembersProof { request.isSeen = true }
        request.deliveries += 1
        if request.isAwaited { request.answer = reply.answer }
        world.network[index] = request
        if !request.isAwaited, request.deliveries > 1 { world.network.remove(at: index) }
        apply(reply, &world)
    }

    private func apply(_ reply: PlayedService.Reply, _ world: inout World) {
        world.row = reply.row
        if reply.rotates { world.network.updateAll { $0.isBeforeRotation = true } }
    }

    private func visitTime(_ world: World, _ visit: (Step, World) -> Void) {
        var (next, isNew) = (world, false)
        next.network.updateAll { request in
            isNew = isNew || !request.isOld
            request.isOld = true
        }
        next.row = service.aged(world.row)
        next.backup = world.backup.map(service.aged)
        if isNew || next.row != world.row { visit(.wait, next) }
    }

    private func visitWindow(_ world: World, _ visit: (Step, World) -> Void) {
        var next = world
        let isNew = passWindow(&next)
        if isNew { visit(.nextWindow, next) }
    }

    /// Begins the next nonce window: nonces of the current one become previous, and previous ones expire.
    ///
    /// - Returns: Whether this makes a difference.
    @discardableResult
    func passWindow(_ world: inout World) -> Bool {
        var isNew = world.nonce != nil || world.otherNonce != nil
        world.network.updateAll { request in
            guard let nonce = request.nonce else { return }
            isNew = true
            request.nonce = nonce.next
            if request.nonce == nil { request.isOld = true }
        }
        (world.nonce, world.otherNonce) = (world.nonce?.next, world.otherNonce?.next)
        let (row, backup) = (world.row, world.backup)
        world.row = service.inNextWindow(row)
        world.backup = backup.map(service.inNextWindow)
        return isNew || world.row != row || world.backup != backup
    }

    private func visitBackups(_ world: World, _ visit: (Step, World) -> Void) {
        var next = world
        guard let backup = world.backup else {
            next.backup = world.row
            next.network.updateAll { request in
                request.isBeforeBackup = request.isBeforeRotation
                request.isSeenInBackup = request.isSeen
            }
            return visit(.backUp, next)
        }
        guard backup != world.row else { return }
        next.row = backup
        next.network.updateAll { request in
            request.isBeforeRotation = request.isBeforeBackup
            request.isSeen = request.isSeenInBackup
        }
        next.thief?.restored()
        visit(.restore, next)
    }
}

// MARK: The thief

extension Actors {
    /// The thief tries every attempt id. A call that gives no token is left out.
    private func visitThief(_ world: World, _ visit: (Step, World) -> Void) {
        guard let thief = world.thief else {
            guard let store = world.store else { return }
            var next = world
            next.thief = Thief(record: store)
            return visit(.copy(store), next)
        }
        // After two rotations in a row the thief has nothing more to prove.
        guard thief.rotations < 2 || !thief.wasLast else { return }
        for (record, reply, newer) in tokensOfThief(world) {
            var next = world
            apply(reply, &next)
            next.thief?.record.generation = newer
            next.thief?.completed(byThief: true)
            visit(.steal(record, reply.answer), next)
        }
    }

    /// The calls with which the thief would get tokens now, with the generation of the new token.
    func tokensOfThief(_ world: World) -> [(record: StoredRecord, reply: PlayedService.Reply, newer: UInt8)] {
        guard let thief = world.thief?.record else { return [] }
        let attempts = [Attempt.none, .thief(thief.generation)] + (thief.attempt == .none ? [] : [thief.attempt])
        return attempts.compactMap { attempt in
            let reply = service.reply(
                to: PlayedService.Call(row: world.row, generation: thief.generation, attempt: attempt, nonce: .current))
            guard case .tokens(let newer) = reply.answer else { return nil }
            return (StoredRecord(generation: thief.generation, attempt: attempt), reply, newer)
        }
    }
}
