import Synchronization
import Testing

@testable import SessionDomain

@Suite("The worker of an outbox", .timeLimit(.minutes(5)))
struct OutboxWorkerTests {
    @Test("Everything that is due is delivered, and a queue that stops goes on in the next call")
    func due() async throws {
        let outbox = Numbers(["a": 5, "b": 3]) { $0 == "a" }
        let worker = OutboxWorker(outbox, environment: stillEnvironment)
        try await worker.deliverDue()
        // Queue b stops after one or two, depending on whether it has got a second place before.
        #expect(outbox.left == ["b": 2] || outbox.left == ["b": 1])
        try await worker.deliverDue()
        #expect(outbox.left.isEmpty)
    }

    @Test("The places of a queue and of all queues are limited, and are free again after an error")
    func places() async throws {
        let gate = Gate()
        let busy = Mutex<[String]>([])
        let outbox = Numbers(["a": 9, "b": 9]) { queue in
            busy.withLock { $0.append(queue) }
            await gate.wait()
            throw OutboxFailure()
        }
        let worker = OutboxWorker(outbox, environment: stillEnvironment)
        let first = Task { try await worker.deliverDue() }
        await gate.isReached(by: 3)
        #expect(busy.withLock { $0.sorted() } == ["a", "a", "b"])
        try await worker.deliverDue()
        #expect(busy.withLock(\.count) == 3)
        gate.open()
        await #expect(throws: OutboxFailure.self) { try await first.value }
        await worker.settle()
        await #expect(throws: OutboxFailure.self) { try await worker.deliverDue() }
        #expect(busy.withLock(\.count) > 3)
    }

    // Proves: M2
    @Test("A place serves the queues in turn, so that a backlog delays no other queue")
    func turns() async throws {
        let gate = Gate()
        let order = Mutex<[String]>([])
        let outbox = Numbers(["a": 1, "b": 1, "y": 5, "z": 5]) { queue in
            if queue < "y" { await gate.wait() }
            let isLast = order.withLock { order in
                order.append(queue)
                return order.count == 10
            }
            if isLast { gate.open() }
            return true
        }
        try await OutboxWorker(outbox, environment: stillEnvironment).deliverDue()
        #expect(order.withLock { $0.prefix(10) } == ["y", "z", "y", "z", "y", "z", "y", "z", "y", "z"])
        #expect(outbox.left.isEmpty)
    }

    // Proves: M4
    @Test("A worker that finishes starts nothing more, and waits for what is running")
    func finish() async throws {
        let gate = Gate()
        let ended = Mutex(0)
        let environment = ServiceEnvironment(
            now: { now }, randomBytes: { Array(repeating: 0, count: $0) }, sleep: { _ in await Gate().wait() })
        let outbox = Numbers(["a": 9]) { _ in
            await gate.wait()
            #expect(!Task.isCancelled)
            ended.withLock { $0 += 1 }
            return true
        }
        let observer = RecordingObserver()
        let worker = OutboxWorker(outbox, environment: environment.observed(by: observer))
        let running = Task { await worker.run() }
        await gate.isReached(by: 2)
        worker.finish()
        gate.open()
        await running.value
        #expect(observer.errors.isEmpty)
        #expect(ended.withLock { $0 } == 2 && outbox.left == ["a": 7])
    }

    // Proves: M4
    @Test("What still runs at the end of the grace is cancelled")
    func grace() async throws {
        let gate = Gate()
        let sleeps = Mutex<[Int]>([])
        let outbox = Numbers(["a": 1]) { _ in
            await gate.wait()
            #expect(Task.isCancelled)
            return true
        }
        let environment = ServiceEnvironment(
            now: { now }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: { seconds in
                if seconds == Numbers.grace { return sleeps.withLock { $0.append(seconds) } }
                await Gate().wait()
            })
        let observer = RecordingObserver()
        let worker = OutboxWorker(outbox, environment: environment.observed(by: observer))
        let running = Task { await worker.run() }
        await gate.isReached()
        worker.finish()
        await running.value
        #expect(sleeps.withLock { $0 } == [8] && observer.errors.isEmpty)
    }

    @Test("A wake starts a round at once, also if it comes before the worker rests")
    func wake() async throws {
        let (arrived, timer) = (Gate(), Gate())
        let outbox = Numbers([:]) { _ in
            arrived.open()
            return true
        }
        let environment = ServiceEnvironment(
            now: { now }, randomBytes: { Array(repeating: 0, count: $0) }, sleep: { _ in await timer.wait() })
        let observer = RecordingObserver()
        let worker = OutboxWorker(outbox, environment: environment.observed(by: observer))
        let running = Task { await worker.run() }
        await timer.isReached()
        outbox.add(1, to: "a")
        worker.wake()
        await arrived.wait()
        await worker.settle()
        #expect(outbox.left.isEmpty && worker.wakeCount == 1)
        running.cancel()
        await running.value
        #expect(observer.errors.isEmpty)
    }

    @Test("Without a wake, the next round is a second later; an error is reported and ends nothing")
    func poll() async throws {
        let delivered = Gate()
        let outbox = Numbers(["a": 1]) { _ in
            delivered.open()
            return true
        }
        outbox.isBroken.withLock { $0 = true }
        let sleeps = Mutex<[Int]>([])
        let environment = ServiceEnvironment(
            now: { now }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: { seconds in
                outbox.isBroken.withLock { $0 = false }
                let count = sleeps.withLock { sleeps in
                    sleeps.append(seconds)
                    return sleeps.count
                }
                guard count == 2 else { return }
                await delivered.wait()
                throw CancellationError()
            })
        let observer = RecordingObserver()
        await OutboxWorker(outbox, environment: environment.observed(by: observer)).run()
        #expect(sleeps.withLock { $0 } == [1, 1])
        #expect(observer.errors.count == 1)
        #expect(outbox.left.isEmpty)
    }

    @Test("Settling waits for the deliveries of other calls")
    func settle() async throws {
        let gate = Gate()
        let order = Mutex<[String]>([])
        let outbox = Numbers(["a": 1]) { _ in
            await gate.wait()
            order.withLock { $0.append("delivered") }
            return true
        }
        let worker = OutboxWorker(outbox, environment: stillEnvironment)
        async let delivery: Void = worker.deliverDue()
        await gate.isReached()
        async let settled: Void = {
            await worker.settle()
            order.withLock { $0.append("settled") }
        }()
        gate.open()
        try await delivery
        await settled
        #expect(order.withLock { $0 } == ["delivered", "settled"])
    }
}
