import Synchronization
import Testing

@testable import SessionDomain

/// What commits tell the worker.
extension OutboxWorkerTests {
    @Test("A wake for a queue delivers its item without a read; what else is due is read when a second has passed")
    func written() async throws {
        let timer = Gate()
        let (arrived, reads, uptime) = (Noted<[String]>([]), Noted(0), Noted<Int64>(0))
        let outbox = Numbers([:]) { queue in
            arrived.change { $0.append(queue) }
            return true
        }
        outbox.onRead.withLock { $0 = { reads.change { $0 += 1 } } }
        let environment = ServiceEnvironment(
            now: { now }, uptime: { uptime.value }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: { _ in await timer.wait() })
        let worker = OutboxWorker(outbox, environment: environment)
        let running = Task { await worker.run() }
        await timer.isReached()
        outbox.add(2, to: "a")
        worker.wake(for: .init(id: "a"))
        while arrived.value.count < 2 { await Task.yield() }
        #expect(reads.value == 1 && outbox.left.isEmpty)
        outbox.add(1, to: "b")
        uptime.change { $0 = 1000 }
        worker.wake(for: .init(id: "a"))
        while arrived.value.count < 3 { await Task.yield() }
        #expect(reads.value == 2 && arrived.value == ["a", "a", "b"])
        // The wake of a queue does not hide one that names none.
        outbox.add(1, to: "c")
        worker.wake()
        worker.wake(for: .init(id: "a"))
        while arrived.value.count < 4 { await Task.yield() }
        #expect(reads.value == 3 && arrived.value.last == "c")
        running.cancel()
        await running.value
    }

    @Test("An item that its commit has claimed is delivered in its place, without a read or a claim")
    func claimed() async throws {
        let (timer, gate) = (Gate(), Gate())
        let (arrived, reads) = (Noted<[String]>([]), Noted(0))
        let outbox = Numbers([:]) { queue in
            arrived.change { $0.append(queue) }
            await gate.wait()
            return true
        }
        outbox.onRead.withLock { $0 = { reads.change { $0 += 1 } } }
        let environment = ServiceEnvironment(
            now: { now }, uptime: { 0 }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: { _ in await timer.wait() })
        let worker = OutboxWorker(outbox, environment: environment)
        #expect(!worker.takeSlot(in: .init(id: "a")), "The worker does not run")
        let running = Task { await worker.run() }
        await timer.isReached()
        // A queue has two places.
        #expect(worker.takeSlot(in: .init(id: "a")) && worker.takeSlot(in: .init(id: "a")))
        #expect(!worker.takeSlot(in: .init(id: "a")))
        worker.returnSlot(in: .init(id: "a"))
        #expect(worker.takeSlot(in: .init(id: "a")))
        for _ in 0..<2 { worker.deliver("claimed", in: .init(id: "a")) }
        await gate.isReached(by: 2)
        outbox.add(1, to: "a")
        worker.wake(for: .init(id: "a"))
        // A queue that waits comes first.
        while worker.takeSlot(in: .init(id: "b")) {
            worker.returnSlot(in: .init(id: "b"))
            await Task.yield()
        }
        #expect(arrived.value == ["claimed", "claimed"] && reads.value == 1)
        gate.open()
        while arrived.value.count < 3 { await Task.yield() }
        await worker.settle()
        #expect(arrived.value.last == "a" && reads.value == 1)
        // The end of the process: what has a place is delivered, and nothing else gets one.
        #expect(worker.takeSlot(in: .init(id: "b")))
        worker.deliver("last", in: .init(id: "b"))
        worker.finish()
        #expect(!worker.takeSlot(in: .init(id: "b")))
        await running.value
        #expect(arrived.value.last == "last")
    }
}
