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

    @Test("At most one job per slot runs at a time, and every job runs", arguments: [1, 2, 4])
    func slots(slots: Int) async throws {
        let (queue, gate) = (HashingQueue(slots: slots, waitingLimit: 100), Gate())
        let jobs = (0..<20).map { _ in Task { try await queue.perform { gate.work() } } }
        while gate.running < slots { await Task.yield() }
        gate.open(20)
        for job in jobs { try await job.value }
        #expect(gate.most == slots)
        #expect(gate.done == 20)
    }

    @Test("A job above the waiting limit is rejected at once with a retry time")
    func overload() async throws {
        let (queue, gate) = (HashingQueue(slots: 2, waitingLimit: 3), Gate())
        var jobs: [Task<Void, any Error>] = []
        for index in 0..<5 {
            jobs.append(Task { try await queue.perform { gate.work() } })
            while queue.load <= index { await Task.yield() }
        }
        await #expect(throws: Refusal.overloaded(retryAfter: 2)) { try await queue.perform {} }
        gate.open(5)
        for job in jobs { try await job.value }
        #expect(queue.load == 0)
        try await queue.perform {}
    }

    @Test("Work that throws releases its slot")
    func failure() async throws {
        struct Failure: Error {}
        let queue = HashingQueue(slots: 1, waitingLimit: 0)
        for _ in 0..<3 {
            await #expect(throws: Failure.self) { try await queue.perform { throw Failure() } }
            while queue.load > 0 { await Task.yield() }
        }
    }

    @Test("A full hasher rejects both verification and hashing")
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
        let first = Task { try await hasher.verify("p", against: nil) }
        while gate.running == 0 { await Task.yield() }
        await #expect(throws: Refusal.overloaded(retryAfter: 2)) { try await hasher.verify("p", against: nil) }
        await #expect(throws: Refusal.overloaded(retryAfter: 2)) { try await hasher.hash("p") }
        gate.open(1)
        #expect(try await first.value == .wrong)
    }
}
