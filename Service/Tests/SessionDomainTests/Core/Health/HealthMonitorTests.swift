import SessionDomain
import Synchronization
import Testing

@Suite("Health checks of a node")
struct HealthMonitorTests {
    /// A store whose writes wait until they are released.
    private final class Probe: Sendable {
        let uptime = Mutex<Int64>(0)
        let writes = Mutex<[CheckedContinuation<Void, Never>]>([])
        let count = Mutex(0)
        let observer = RecordingObserver()

        func write() async {
            count.withLock { $0 += 1 }
            await withCheckedContinuation { continuation in writes.withLock { $0.append(continuation) } }
        }

        func release() async {
            while writes.withLock({ $0.isEmpty }) { await Task.yield() }
            for write in writes.withLock({ writes in
                defer { writes = [] }
                return writes
            }) { write.resume() }
        }
    }

    private let probe = Probe()
    private let store: StoreHealth
    private let monitor: HealthMonitor

    init() {
        var environment = ServiceEnvironment.live
        environment.uptime = { [probe] in probe.uptime.withLock { $0 } }
        store = StoreHealth(uptime: environment.uptime)
        monitor = HealthMonitor(
            store: store,
            probes: HealthProbes(write: { [probe, store] in
                await probe.write()
                store.committed()
            }), environment: environment.observed(by: probe.observer))
    }

    @Test("All callers at the same time share one write")
    func sharing() async {
        async let all = withTaskGroup(of: Bool.self) { group in
            for _ in 1...50 { group.addTask { [monitor] in await monitor.checked().isReady } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        await probe.release()
        // A caller that comes after the write finds its result.
        #expect(await all == 50)
        #expect(probe.count.withLock { $0 } == 1)
    }

    @Test("A transaction of the last second is enough: nothing is written")
    func traffic() async {
        store.committed()
        #expect(monitor.check {})
        probe.uptime.withLock { $0 = HealthMonitor.lifetime }
        #expect(!monitor.check {})
        await probe.release()
    }

    @Test("While a write hangs, a bounded number of callers waits, and the others get what is known")
    func crowd() async {
        for _ in 0..<HealthMonitor.waitingLimit { #expect(!monitor.check {}) }
        #expect(monitor.check { Issue.record("this caller does not wait") })
        probe.uptime.withLock { $0 = HealthFindings.slowWrite + 1 }
        #expect(await !monitor.checked().isReady)
        await probe.release()
    }

    @Test("A write that does not end makes the node not ready, and its end makes it ready")
    func hanging() async {
        #expect(!monitor.check {})
        #expect(monitor.readiness.isReady)
        probe.uptime.withLock { $0 = HealthFindings.slowWrite + 1 }
        #expect(!monitor.readiness.isReady)
        await probe.release()
        while !monitor.readiness.isReady { await Task.yield() }
    }

    @Test("A failed transaction of any caller counts at once, and the next committed one, too")
    func failures() {
        store.committed()
        store.failedTransaction(.unavailable("full"))
        #expect(!monitor.readiness.isReady)
        store.committed()
        #expect(monitor.readiness.isReady)
    }

    @Test("A process that ends is not ready any more, and that is no event for the log")
    func draining() {
        monitor.drain()
        #expect(Set(monitor.readiness.reasons.keys) == [.draining])
        store.committed()
        #expect(!monitor.readiness.isReady)
        #expect(probe.observer.notices.isEmpty)
    }
}
