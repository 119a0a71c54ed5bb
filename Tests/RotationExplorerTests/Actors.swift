/// The steps of all who take part. It computes which steps a state has and what they lead to.
final class Actors {
    let service: PlayedService
    private let sdk: PlayedSDK
    private let broken: BrokenRule?
    private let scenario: Scenario

    init(_ scenario: Scenario, breaking broken: BrokenRule? = nil) throws {
        self.scenario = scenario
        self.broken = broken
        service = try PlayedService(breaking: broken)
        sdk = PlayedSDK()
    }

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
        killed.hasNonce = false
        visit(.kill, killed)
    }

    private func visitStarts(_ world: World, _ visit: (Step, World) -> Void) {
        guard let stored = world.store, world.network.count < scenario.requests else { return }
        for isOther in world.hasNonce == world.otherHasNonce ? [false] : [false, true] {
            var next = world
            if isOther { swap(&next.hasNonce, &next.otherHasNonce) }
            let record = begin(stored, &next)
            if record != stored, next.store == record {
                var dead = next
                dead.refresh = nil
                dead.hasNonce = false
                visit(.storeAttempt(record), dead)
            }
            send(&next)
            visit(.start(record, hasNonce: next.hasNonce), next)
        }
    }

    /// Begins a refresh. An attempt id is created only if the record has none.
    @discardableResult
    func begin(_ stored: StoredRecord, _ world: inout World) -> StoredRecord {
        var record = stored
        if broken == .sendsBeforeTheAttemptIsStored {
            world.attemptsNotStored += 1
            record.attempt = .device(record.generation, version: min(3, world.attemptsNotStored))
        } else if record.attempt == .none {
            record.attempt = .device(record.generation)
            world.store = record
        }
        world.refresh = Refresh(exchange: sdk.start, record: record)
        return record
    }

    func send(_ world: inout World) {
        guard let record = world.refresh?.record, world.network.count < scenario.requests else {
            world.refresh = nil
            return
        }
        let isWrong = world.hasSlowClock
        world.network.add(
            Request(
                generation: record.generation, attempt: record.attempt, hasNonce: world.hasNonce, isOld: isWrong,
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
        if answer == .nonceDemanded {
            world.hasNonce = true
            if world.refresh?.hasRepeatedWithNonce == false {
                world.refresh?.hasRepeatedWithNonce = true
                return send(&world)
            }
        }
        advance(.answered(answer), &world)
    }

    private func advance(_ event: PlayedSDK.Event, _ world: inout World) {
        guard var refresh = world.refresh else { return }
        let (exchange, action) = sdk.decide(event, in: refresh.exchange)
        switch action {
        case .repeatRequest:
            refresh.exchange = exchange
            refresh.hasRepeatedWithNonce = false
            if broken == .makesAnAttemptPerRepetition { refresh.record.attempt = refresh.record.attempt.next }
            world.refresh = refresh
            return send(&world)
        case .store: store(event, of: refresh, &world)
        case .signOut: if world.store == refresh.record { world.store = nil }
        case .readAgain: readAgain(refresh, &world)
        case .fail: break
        }
        world.refresh = nil
    }

    private func store(_ event: PlayedSDK.Event, of refresh: Refresh, _ world: inout World) {
        guard case .answered(.tokens(let generation)) = event else { return }
        guard world.store == refresh.record || broken == .sendsBeforeTheAttemptIsStored else { return }
        world.store = StoredRecord(generation: generation)
        world.thief?.completed(byThief: false)
    }

    private func readAgain(_ refresh: Refresh, _ world: inout World) {
        guard world.store == refresh.record, broken != .keepsAnAttemptThatIsSpent else { return }
        world.store?.attempt = refresh.record.attempt.next
    }
}

// MARK: The network and time

extension Actors {
    func deliver(_ index: Int, _ world: inout World) {
        var request = world.network[index]
        let reply = service.reply(
            to: PlayedService.Call(
                row: world.row, generation: request.generation, attempt: request.attempt, hasNonce: request.hasNonce,
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
            if !scenario.restoresQuickly, request.hasNonce { (request.hasNonce, request.isOld) = (false, true) }
        }
        if !scenario.restoresQuickly { (next.hasNonce, next.otherHasNonce) = (false, false) }
        next.thief?.restored()
        visit(.restore, next)
    }
}

// MARK: The thief

extension Actors {
    /// The thief tries every attempt id. A call that gives no token and changes no row is left out.
    private func visitThief(_ world: World, _ visit: (Step, World) -> Void) {
        guard let thief = world.thief else {
            guard let store = world.store else { return }
            var next = world
            next.thief = Thief(record: store)
            return visit(.copy(store), next)
        }
        // After two rotations in a row the thief has nothing more to prove.
        guard thief.rotations < 2 || !thief.wasLast else { return }
        let generation = thief.record.generation
        let attempts =
            [Attempt.none, .thief(generation)] + (thief.record.attempt == .none ? [] : [thief.record.attempt])
        for attempt in attempts {
            let reply = service.reply(
                to: PlayedService.Call(row: world.row, generation: generation, attempt: attempt, hasNonce: true))
            guard case .tokens(let newer) = reply.answer else { continue }
            var next = world
            apply(reply, &next)
            next.thief?.record.generation = newer
            next.thief?.completed(byThief: true)
            visit(.steal(StoredRecord(generation: generation, attempt: attempt), reply.answer), next)
        }
    }
}
