internal import Dispatch
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionArgon2

@Suite("Hashing queue")
struct HashingQueueTests {
    /// Work that blocks its slot until the gate is opened.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let state = Mutex((running: 0, most: 0, done: 0))

        var running: Int { state.withLock(\.running) }
        var most: Int { state.withLock(\.most) }
        var done: Int { state.withLock(\.done) }

        func work() {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
            semaphore.wait()
            state.withLock { state in
                state.running -= 1
                state.done += 1
            }
        }

        func open(_ count: Int) { for _ in 0..<count { semaphore.signal() } }
    }

    private final class Order: Sendable {
        let apps = Mutex<[AppID]>([])
    }

    private let app = AppID.test("domain1")
    private let other = AppID.test("domain2")

    /// A caller that takes a place, runs work and leaves.
    private static func caller(
        _ queue: HashingQueue, _ app: AppID, work: @escaping @Sendable () throws -> Void = {}
    ) async throws {
        try queue.enter(app)
        defer { queue.leave(app) }
        try await queue.perform(app, work)
    }

    @Test("At most one job per slot runs at a time, and every job runs", arguments: [1, 2, 4])
    func slots(slots: Int) async throws {
        let (queue, gate, app) = (HashingQueue(slots: slots, waitingLimit: 100), Gate(), app)
        let jobs = (0..<20).map { _ in Task { try await Self.caller(queue, app, work: gate.work) } }
        while gate.running < slots { await Task.yield() }
        gate.open(20)
        for job in jobs { try await job.value }
        #expect(gate.most == slots)
        #expect(gate.done == 20)
        #expect(queue.load == 0)
    }

    // Proves: O16
    @Test("A caller without a free place is rejected at once with a retry time")
    func overload() throws {
        let queue = HashingQueue(slots: 1, waitingLimit: 1)
        for _ in 0..<2 { try queue.enter(app) }
        #expect(throws: Refusal.overloaded(retryAfter: 2)) { try queue.enter(other) }
        queue.leave(app)
        try queue.enter(other)
    }

    @Test("Work that throws releases its slot")
    func failure() async throws {
        struct Failure: Error {}
        let queue = HashingQueue(slots: 1, waitingLimit: 0)
        for _ in 0..<3 {
            await #expect(throws: Failure.self) { try await Self.caller(queue, app) { throw Failure() } }
            #expect(queue.load == 0)
        }
    }

    /// Starts threads, except while there are none.
    private final class Threads: Sendable {
        let areMissing = Atomic(false)

        func queue(slots: Int) -> HashingQueue {
            HashingQueue(slots: slots, waitingLimit: 10) { [self] body in
                !areMissing.load(ordering: .relaxed) && HashingThread.start(body)
            }
        }
    }

    @Test("Without a thread, a call fails, and its slot is free for the next one", arguments: [1, 2])
    func noThread(slots: Int) async throws {
        let threads = Threads()
        let queue = threads.queue(slots: slots)
        threads.areMissing.store(true, ordering: .relaxed)
        for _ in 0..<4 {
            await #expect(throws: Argon2Error.noThread) { try await Self.caller(queue, app) }
        }
        threads.areMissing.store(false, ordering: .relaxed)
        for _ in 0..<4 { try await Self.caller(queue, app) }
        #expect(queue.load == 0 && queue.waiting == 0)
    }

    @Test("Without a thread for a further slot, a call waits for the slot that runs")
    func fewThreads() async throws {
        let (threads, gate) = (Threads(), Gate())
        let (queue, app) = (threads.queue(slots: 2), app)
        let first = Task { try await Self.caller(queue, app, work: gate.work) }
        while gate.running == 0 { await Task.yield() }
        threads.areMissing.store(true, ordering: .relaxed)
        let second = Task { try await Self.caller(queue, app, work: gate.work) }
        while queue.waiting == 0 { await Task.yield() }
        gate.open(2)
        try await first.value
        try await second.value
        #expect(gate.most == 1 && gate.done == 2)
    }

    @Test("One app leaves places to others, and several busy apps get equal shares (X6)")
    func shares() {
        var places = SharedSlots(total: 66)
        var alone = 0
        while places.take(app) { alone += 1 }
        #expect(alone == 44)
        var second = 0
        while places.take(other) { second += 1 }
        #expect(second == 15)
        let third = places.take(.test("domain3"))
        #expect(third, "an app without a place gets one while any is free")
        // The first app gets no place back until it has less than twice as many as are free.
        for _ in 0..<10 { places.release(app) }
        let (first, next) = (places.take(app), places.take(other))
        #expect(!first && next)
    }

    // Proves: X6
    @Test(
        "One app alone leaves a place if there are three or more", arguments: [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4)])
    func fewPlaces(total: Int, most: Int) {
        var places = SharedSlots(total: total)
        var alone = 0
        while places.take(app) { alone += 1 }
        #expect(alone == most)
    }

    @Test("A place of an app that has none is not released twice")
    func release() {
        var places = SharedSlots(total: 1)
        places.release(app)
        #expect(places.taken == 0)
        let (first, second) = (places.take(app), places.take(other))
        #expect(first && !second)
        places.release(app)
        places.release(app)
        #expect(places.taken == 0)
    }

    // Proves: X6
    @Test("A free slot serves the apps in turn, whatever the number of their callers")
    func turns() async throws {
        let (queue, gate, order) = (HashingQueue(slots: 1, waitingLimit: 20), Gate(), Order())
        let (app, other) = (app, other)
        var jobs = [Task { try await Self.caller(queue, app, work: gate.work) }]
        while gate.running == 0 { await Task.yield() }
        for (index, owner) in [app, app, app, app, other, other].enumerated() {
            jobs.append(Task { try await queue.perform(owner) { order.apps.withLock { $0.append(owner) } } })
            while queue.waiting <= index { await Task.yield() }
        }
        gate.open(1)
        for job in jobs { try await job.value }
        #expect(order.apps.withLock { $0 } == [app, other, app, other, app, app])
    }

    @Test("A full hasher rejects the caller before any work, and a place ends with its scope")
    func fullHasher() async throws {
        let gate = Gate()
        let engine = Argon2Engine(
            hash: { _, _ in "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA" },
            verify: { _, _ in
                gate.work()
                return true
            })
        let hasher = try Argon2PasswordHasher(
            cost: Argon2Cost(uncheckedPasses: 1, memory: 8), slots: 1, waitingLimit: 0, engine: engine)
        let app = app
        let first = Task { try await hasher.verify("p", against: nil, app: app) }
        while gate.running == 0 { await Task.yield() }
        await #expect(throws: Refusal.overloaded(retryAfter: 2)) {
            try await hasher.verify("p", against: nil, app: app)
        }
        await #expect(throws: Refusal.overloaded(retryAfter: 2)) { try await hasher.hash("p", app: app) }
        gate.open(1)
        #expect(try await first.value == .wrong)
        _ = try await hasher.hash("p", app: app)
    }

    // Proves: X6
    @Test("A place is free again after a cancelled caller and after an error")
    func abandoned() async throws {
        struct Failure: Error {}
        let hasher = try Argon2PasswordHasher(
            cost: Argon2Cost(uncheckedPasses: 1, memory: 8), slots: 1, waitingLimit: 0,
            engine: Argon2Engine(hash: { _, _ in "" }, verify: { _, _ in true }))
        let app = app
        func fails() throws {
            _ = try hasher.admit(app: app)
            throw Failure()
        }
        for _ in 0..<3 {
            #expect(throws: Failure.self) { try fails() }
            let cancelled = Task {
                let place = try hasher.admit(app: app)
                while !Task.isCancelled { await Task.yield() }
                try Task.checkCancellation()
                _ = try await place.hash("p")
            }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
        }
        _ = try await hasher.hash("p", app: app)
    }

    // Proves: A6
    @Test("A description of the hasher shows neither the dummy hash nor the queue")
    func description() throws {
        let hasher = try Argon2PasswordHasher(
            cost: Argon2Cost(uncheckedPasses: 1, memory: 8), slots: 1, waitingLimit: 0,
            engine: Argon2Engine(hash: { _, _ in "$argon2id$secret" }, verify: { _, _ in true }))
        var text = ""
        dump([hasher], to: &text)
        #expect(!text.contains("argon2id") && "\([hasher])" == "[Argon2PasswordHasher]")
    }
}
