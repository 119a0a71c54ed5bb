import Testing

@testable import SessionDomain

@Suite("What the graphs of one app remember")
struct AppActivityTests {
    /// A full slot, in seconds.
    private static let start: Int64 = 1_800_000_000

    private let apps = AppActivityRecorder()

    private func app(_ number: Int) throws -> AppID { try #require(AppID("app" + String(1000 + number))) }

    private func call(
        _ app: AppID?, _ status: Int = 200, _ route: String = "/v1/session/refresh", _ seconds: Double = 0.02,
        reason: RefusalReason? = nil
    ) {
        apps.observe(
            .request(
                ServedRequest(
                    route: route, method: "POST", status: status, seconds: seconds, app: app, reason: reason)))
    }

    private func slots(_ app: AppID) throws -> [ActivityAmounts?] { try #require(apps.hour(of: app)).slots }

    /// The amounts that are not 0.
    private func counts(_ amounts: ActivityAmounts) -> [ActivityCount: Int] {
        var counts: [ActivityCount: Int] = [:]
        for count in ActivityCount.allCases where amounts[count] != 0 { counts[count] = amounts[count] }
        return counts
    }

    @Test("Each app has its own refreshes, failures and response times. The console and unknown paths are no calls")
    func amounts() throws {
        let (first, second) = (try app(1), try app(2))
        for result in RefreshResult.allCases { apps.observe(.refresh(result, first)) }
        call(first, 401, reason: .proof(.nonceRequired))
        call(first, 401, reason: .proof(.replayed))
        call(first, 429)
        call(first, 503)
        call(first, 404, "/v2/session/apps/:app_id/users", 5)
        call(first, 404, "/console/apps/:app_id", 5)
        call(second, 200, "/v1/session/otp", 11)
        call(nil, 500)
        apps.record(at: Self.start)
        let amounts = try #require(try slots(first).last ?? nil)
        #expect(
            counts(amounts) == [
                .refreshesRenewed: 3, .refreshesRefused: 4, .callsRefused: 2, .callsLimited: 1, .callsFailed: 1,
            ])
        #expect(amounts.latency.counts == [0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let others = try #require(try slots(second).last ?? nil)
        #expect(counts(others) == [:] && others.latency.counts.last == 1)
    }

    @Test("A slot has what was counted since the slot before, and an app without calls has zeros since the start")
    func slots() throws {
        let (late, silent) = (try app(1), try app(2))
        #expect(try #require(apps.hour(of: silent)).end == nil)
        apps.record(at: Self.start)
        for calls in [2, 0, 1] {
            for _ in 0..<calls { call(late, 500) }
            apps.record(at: (apps.hour(of: silent)?.end?.seconds ?? 0))
        }
        #expect(try slots(late).suffix(5).map { $0?[.callsFailed] } == [nil, 0, 2, 0, 1])
        #expect(try slots(silent).suffix(5) == [nil] + Array(repeating: ActivityAmounts(), count: 4))
    }

    @Test("The number of apps has a bound, and an app gives its place up an hour after its last call")
    func bound() throws {
        for number in 0...AppActivityRecorder.maximumApps { call(try app(number), 500) }
        apps.record(at: Self.start)
        let (first, excess) = (try app(0), try app(AppActivityRecorder.maximumApps))
        #expect(apps.hour(of: excess) == nil)
        #expect(try slots(first).last??[.callsFailed] == 1)
        call(first)
        call(excess)
        apps.record(at: Self.start + 3590)
        #expect(apps.hour(of: excess) == nil)
        apps.record(at: Self.start + 3600)
        call(excess, 500)
        apps.record(at: Self.start + 3610)
        #expect(try slots(excess).suffix(3).map { $0?[.callsFailed] } == [0, 0, 1])
        #expect(try slots(first).last??.latency.total == 0 && slots(first).compactMap { $0?.latency.total }.max() == 1)
    }

    @Test("The recorder of the node moves the counts of apps at the end of each slot")
    func recorder() throws {
        let recorder = ActivityRecorder(node: "a", startedAt: Timestamp(seconds: Self.start))
        let app = try app(1)
        recorder.apps.observe(.refresh(.rotated, app))
        recorder.record(ActivityAmounts(), at: Timestamp(seconds: Self.start + 10))
        let ring = try #require(recorder.apps.hour(of: app))
        #expect(ring.end == recorder.hour.end && ring.slots.last??[.refreshesRenewed] == 1)
    }
}
