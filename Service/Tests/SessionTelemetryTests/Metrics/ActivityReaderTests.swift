import SessionDomain
import Testing

@testable import SessionTelemetry

@Suite("What the graphs read from the metrics")
struct ActivityReaderTests {
    private static let login = "/v1/session/otp"

    private func totals(_ occurrences: [Occurrence]) -> ActivityAmounts {
        let registry = MetricsRegistry()
        let observer = MetricsObserver(factory: registry, version: "1.2.3")
        for occurrence in occurrences { observer.observe(occurrence) }
        return ActivityReader(registry: registry, loginStarts: [Self.login]).totals()
    }

    private func call(_ route: String, _ status: Int, method: String = "POST", _ seconds: Double = 0.02) -> Occurrence {
        .request(ServedRequest(route: route, method: method, status: status, seconds: seconds))
    }

    /// The amounts that are not 0.
    private func counts(_ amounts: ActivityAmounts) -> [ActivityCount: Int] {
        var counts: [ActivityCount: Int] = [:]
        for count in ActivityCount.allCases where amounts[count] != 0 { counts[count] = amounts[count] }
        return counts
    }

    @Test("A process to which nothing has happened has zeros")
    func nothing() { #expect(totals([]) == ActivityAmounts()) }

    @Test("Logins are those that began with an accepted call, succeeded and failed")
    func logins() {
        let amounts = totals([
            call(Self.login, 204), call(Self.login, 204, method: "OPTIONS"), call(Self.login, 400),
            call("/v1/session/refresh", 200), .login(.emailCode, .succeeded), .login(nil, .succeeded),
            .login(.password, .failed(.wrongPassword)),
        ])
        #expect(counts(amounts) == [.loginsStarted: 1, .loginsSucceeded: 2, .loginsFailed: 1, .callsRefused: 1])
    }

    @Test("A refresh is renewed, refused, or only asked for a nonce", arguments: RefreshResult.allCases)
    func refreshes(_ result: RefreshResult) {
        let expected: [ActivityCount: Int] =
            switch result {
            case .rotated, .repeated, .recovered: [.refreshesRenewed: 1]
            case .refused, .reused, .ended, .invalidToken: [.refreshesRefused: 1]
            case .nonceDemanded: [:]
            }
        #expect(counts(totals([.refresh(result, .service)])) == expected)
    }

    @Test("Calls are refused, limited or failed. Health checks, the console and unknown paths are no calls")
    func failures() {
        let amounts = totals(
            [400, 401, 404, 429, 429, 500, 503, 503].map { call("/v1/session/me/list", $0) } + [
                call("/v2/session/apps", 403), call("/readyz", 503), call("unmatched", 404), call("/console", 403),
                .requestShed(.login), .requestShed(.read), call("/v1/session/refresh", 401),
                .refused(.proof(.nonceRequired)),
            ])
        #expect(counts(amounts) == [.callsRefused: 4, .callsLimited: 4, .callsFailed: 3])
    }

    @Test("Response times are those of the calls of apps")
    func latency() {
        let amounts = totals([
            call("/v1/session/refresh", 200, 0.0004), call("/v1/session/otp", 400, 0.3),
            call("/v1/session/otp", 204, 11),
            call("/v2/session/apps", 200, 0.02), call("/health", 200, 0.0001),
        ])
        #expect(amounts.latency.counts == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    }

    @Test("Messages are counted by their channel when a route took them, and when no route did")
    func messages() {
        let amounts = totals([
            .messageSent(.email, .signIn, route: "smtp"), .messageSent(.sms, .stepUp, route: "twilio"),
            .messageSent(.sms, .notice, route: "twilio"), .messageQueued(.email, .signIn),
            .messageFailed(.email, .signIn, route: "smtp", stage: "connection"),
            .messageAttemptFailed(.sms, route: "twilio", stage: "connection"),
        ])
        #expect(counts(amounts) == [.mailsSent: 1, .smsSent: 2, .mailsFailed: 1])
    }
}
