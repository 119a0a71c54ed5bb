internal import Testing

@testable internal import SessionDomain

@Suite("Notices about limits of messages")
struct SendNoticesTests {
    private static let app = AppID("abc1234")!
    private static let now = Timestamp(seconds: 1_800_000_000)

    /// The notices for a limit that is reached at these seconds, each time until a day later or until a fixed time.
    private func notices(
        _ counters: [CounterKey], at times: [Int], until: Timestamp? = nil
    ) -> [ServiceNotice] {
        let observer = RecordingObserver()
        let notices = SendNotices(observer: observer)
        for seconds in times {
            let time = Self.now + seconds
            for counter in counters {
                notices.report(ReachedLimit(counter, until: until ?? time + 86_400), app: Self.app, now: time)
            }
        }
        return observer.notices
    }

    @Test("A limit is reported once in its window, and again in the next one")
    func window() {
        #expect(notices([.sendsOfApp], at: [0, 1, 3600], until: Self.now + 86_400).count == 1)
        #expect(notices([.sendsOfApp], at: [0, 86_399, 86_400]).count == 2)
    }

    @Test("A limit of 0 is reported once a day, although its end moves with each call")
    func zero() {
        #expect(notices([.sendsToCallingCode("+33")], at: Array(0..<100)).count == 1)
    }

    @Test("The app and each calling code are reported separately, and limits of one destination are not reported")
    func kinds() {
        let counters = [CounterKey.sendsOfApp, .sendsOfGroup("x")] + ["+33", "+34"].map(CounterKey.sendsToCallingCode)
        let until = Self.now + 86_400
        #expect(
            notices(counters, at: [0])
                == [nil, "+33", "+34"].map { .sendLimitReached(app: Self.app, callingCode: $0, until: until) })
    }
}
