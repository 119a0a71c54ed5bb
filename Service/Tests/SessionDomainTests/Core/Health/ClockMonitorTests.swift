import SessionDomain
import Synchronization
import Testing

@Suite("Reports of a clock that was set")
struct ClockMonitorTests {
    @Test("Each jump of the clock is reported once, ahead and back, and normal corrections are not")
    func jumps() async {
        let steps = Mutex<[Int64]>([0, 3600, 0, -7200, 30, -30])
        let clock = Mutex((now: Int64(1_800_000_000_000), uptime: Int64(0)))
        let observer = RecordingObserver()
        var environment = ServiceEnvironment.live
        environment.now = { Timestamp(milliseconds: clock.withLock(\.now)) }
        environment.uptime = { clock.withLock(\.uptime) }
        environment.sleep = { seconds in
            guard let step = steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw CancellationError() }
            clock.withLock { clock in
                clock.uptime += Int64(seconds) * 1000
                clock.now += (Int64(seconds) + step) * 1000
            }
        }
        await ClockMonitor(environment: environment.observed(by: observer)).run()
        #expect(observer.notices == [.clockWasSet(seconds: 3600), .clockWasSet(seconds: -7200)])
    }
}
