import Synchronization
import Testing

@testable import SessionDomain

/// What commits tell the courier.
extension CourierTests {
    @Test("A wake for a lane delivers its parcel without a read; what else is due is read when a second has passed")
    func written() async throws {
        let timer = Gate()
        let (arrived, reads, uptime) = (Noted<[String]>([]), Noted(0), Noted<Int64>(0))
        let outbox = Numbers([:]) { lane in
            arrived.change { $0.append(lane) }
            return true
        }
        outbox.onRead.withLock { $0 = { reads.change { $0 += 1 } } }
        let environment = ServiceEnvironment(
            now: { now }, uptime: { uptime.value }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: { _ in await timer.wait() })
        let courier = Courier(outbox, environment: environment)
        let running = Task { await courier.run() }
        await timer.isReached()
        outbox.add(2, to: "a")
        courier.wake(for: .init(id: "a"))
        while arrived.value.count < 2 { await Task.yield() }
        #expect(reads.value == 1 && outbox.left.isEmpty)
        outbox.add(1, to: "b")
        uptime.change { $0 = 1000 }
        courier.wake(for: .init(id: "a"))
        while arrived.value.count < 3 { await Task.yield() }
        #expect(reads.value == 2 && arrived.value == ["a", "a", "b"])
        // The wake of a lane does not hide one that names none.
        outbox.add(1, to: "c")
        courier.wake()
        courier.wake(for: .init(id: "a"))
        while arrived.value.count < 4 { await Task.yield() }
        #expect(reads.value == 3 && arrived.value.last == "c")
        running.cancel()
        await running.value
    }

    @Test("A parcel that its commit has claimed is delivered in its place, without a read or a claim")
    func claimed() async throws {
        let (timer, gate) = (Gate(), Gate())
        let (arrived, reads) = (Noted<[String]>([]), Noted(0))
        let outbox = Numbers([:]) { lane in
            arrived.change { $0.append(lane) }
            await gate.wait()
            return true
        }
        outbox.onRead.withLock { $0 = { reads.change { $0 += 1 } } }
        let environment = ServiceEnvironment(
            now: { now }, uptime: { 0 }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: { _ in await timer.wait() })
        let courier = Courier(outbox, environment: environment)
        #expect(!courier.takePlace(in: .init(id: "a")), "The courier does not run")
        let running = Task { await courier.run() }
        await timer.isReached()
        // A lane has two places.
        #expect(courier.takePlace(in: .init(id: "a")) && courier.takePlace(in: .init(id: "a")))
        #expect(!courier.takePlace(in: .init(id: "a")))
        courier.returnPlace(in: .init(id: "a"))
        #expect(courier.takePlace(in: .init(id: "a")))
        for _ in 0..<2 { courier.deliver("claimed", in: .init(id: "a")) }
        await gate.isReached(by: 2)
        outbox.add(1, to: "a")
        courier.wake(for: .init(id: "a"))
        // A lane that waits comes first.
        while courier.takePlace(in: .init(id: "b")) {
            courier.returnPlace(in: .init(id: "b"))
            await Task.yield()
        }
        #expect(arrived.value == ["claimed", "claimed"] && reads.value == 1)
        gate.open()
        while arrived.value.count < 3 { await Task.yield() }
        await courier.settle()
        #expect(arrived.value.last == "a" && reads.value == 1)
        // The end of the process: what has a place is delivered, and nothing else gets one.
        #expect(courier.takePlace(in: .init(id: "b")))
        courier.deliver("last", in: .init(id: "b"))
        courier.finish()
        #expect(!courier.takePlace(in: .init(id: "b")))
        await running.value
        #expect(arrived.value.last == "last")
    }
}
