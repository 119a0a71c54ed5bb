import SessionDomain
import Testing

@testable import SessionTelemetry

@Suite("Metrics of what happens in the service")
struct MetricsObserverTests {
    private func lines(_ occurrences: Occurrence...) -> [String] {
        let registry = MetricsRegistry()
        let observer = MetricsObserver(factory: registry, version: "1.2.3")
        for occurrence in occurrences { observer.observe(occurrence) }
        return registry.exposition().split(separator: "\n").map { line in
            String(line.hasPrefix("prelude_session_") ? line.dropFirst(16) : line)
        }
    }

    @Test("Counters of enums exist from the start with 0, so that the first value is an increase")
    func zeros() {
        let lines = lines()
        #expect(lines.contains(#"build_info{version="1.2.3"} 1"#))
        for result in RefreshResult.allCases {
            #expect(lines.contains(#"refreshes_total{result="\#(result.rawValue)"} 0"#))
        }
        for reason in RefreshTokenReuse.allCases {
            #expect(lines.contains(#"refresh_token_reuses_total{reason="\#(reason.rawValue)"} 0"#))
        }
    }

    @Test("Every series whose labels are known exists from the start with 0")
    func knownSeries() {
        let zeros = Set(lines())
        for reason in RefusalReason.all { #expect(zeros.contains(#"refusals_total{reason="\#(reason.name)"} 0"#)) }
        for limit in LimitName.allCases {
            #expect(zeros.contains(#"limits_reached_total{limit="\#(limit.rawValue)"} 0"#))
        }
        for kind in ServiceNotice.Kind.allCases {
            #expect(zeros.contains(#"notices_total{notice="\#(kind.rawValue)"} 0"#))
        }
        for limit in ConnectionLimit.allCases {
            #expect(zeros.contains(#"connection_limits_total{limit="\#(limit.rawValue)"} 0"#))
        }
        for name in RequestClass.allCases {
            #expect(zeros.contains(#"requests_shed_total{class="\#(name.rawValue)"} 0"#))
        }
        #expect(
            zeros.isSuperset(of: [
                #"dpop_proofs_rejected_total{reason="proof_wrong_target"} 0"#,
                #"logins_total{method="otp_sms",outcome="succeeded"} 0"#,
                #"logins_total{method="unknown",outcome="wrong_code"} 0"#,
                #"message_budgets_spent_total{limit="sends_of_app"} 0"#,
                #"messages_queued_total{channel="sms",purpose="notice"} 0"#,
                #"messages_sent_total{channel="email",purpose="sign_in",route="smtp"} 0"#,
                #"messages_failed_total{channel="sms",purpose="sign_in",route="twilio",stage="tls"} 0"#,
                #"messages_failed_total{channel="email",purpose="step_up",route="",stage="expired"} 0"#,
                #"message_attempts_failed_total{channel="email",route="",stage="configuration"} 0"#,
                #"message_attempts_failed_total{channel="sms",route="webhook",stage="response"} 0"#,
            ]))
        #expect(!zeros.contains { $0.hasPrefix("dpop_proofs_rejected_total{reason=\"wrong") })
    }

    @Test("What happens first is an increase of a series that exists, not a new one")
    func noNewSeries() {
        let occurrences: [Occurrence] = [
            .refused(.proof(.malformed)), .login(nil, .failed(.usedUp)), .limitReached(.failuresOfAddress),
            .budgetSpent(.sendsToCallingCode), .notice(.clockJumped(seconds: 1)), .requestShed(.login),
            .connectionLimit(.slowHeader), .messageQueued(.sms, .notice),
            .messageFailed(.email, .signIn, route: "smtp", stage: "tls"),
            .messageAttemptFailed(.sms, route: "vonage", stage: "timeout"),
            .messageSent(.sms, .stepUp, route: "prelude"), .hookFailed(.invalidStep), .refresh(.ended, .service),
        ]
        let before = lines().count
        for occurrence in occurrences { #expect(lines(occurrence).count == before, "\(occurrence)") }
    }

    @Test("Requests are counted by route, method and status, and measured by route")
    func requests() {
        func request(_ method: String, _ status: Int, _ seconds: Double) -> Occurrence {
            .request(ServedRequest(route: "/v1/session/refresh", method: method, status: status, seconds: seconds))
        }
        let lines = lines(request("POST", 200, 0.002), request("POST", 200, 0.02), request("BREW\n", 404, 0.5))
        #expect(
            lines.contains(#"http_requests_total{route="/v1/session/refresh",method="POST",status="200"} 2"#))
        #expect(
            lines.contains(#"http_requests_total{route="/v1/session/refresh",method="other",status="404"} 1"#))
        let name = #"http_request_duration_seconds_bucket{route="/v1/session/refresh",le="#
        #expect(lines.contains(name + #""0.0025"} 1"#) && lines.contains(name + #""+Inf"} 3"#))
    }

    @Test("Everything that happens has its metric")
    func occurrences() {
        let batch = CommitBatch(writes: 3, waited: 0.001, took: 0.004, hasFailed: true, waiting: 5)
        let expected: [(Occurrence, String)] = [
            (.requestShed(.login), #"requests_shed_total{class="login"} 1"#),
            (.connectionLimit(.slowReader), #"connection_limits_total{limit="slow_reader"} 1"#),
            (.refresh(.repeated, .service), #"refreshes_total{result="repeated"} 1"#),
            (.reuse(.olderToken), #"refresh_token_reuses_total{reason="older_token"} 1"#),
            (
                .login(.password, .failed(.wrongPassword)),
                #"logins_total{method="password",outcome="wrong_password"} 1"#
            ),
            (.login(nil, .succeeded), #"logins_total{method="unknown",outcome="succeeded"} 1"#),
            (.limitReached(.starts), #"limits_reached_total{limit="starts"} 1"#),
            (.budgetSpent(.sendsDay), #"message_budgets_spent_total{limit="sends_day"} 1"#),
            (.refused(RefusalReason(.missingProof)), #"dpop_proofs_rejected_total{reason="proof_missing"} 1"#),
            (.refused(RefusalReason(.badCode)), #"refusals_total{reason="wrong_code"} 1"#),
            (.hookFailed(.invalidStatus), #"hook_failures_total{reason="invalid_status"} 1"#),
            (.messageQueued(.email, .signIn), #"messages_queued_total{channel="email",purpose="sign_in"} 1"#),
            (
                .messageSent(.sms, .stepUp, route: "twilio"),
                #"messages_sent_total{channel="sms",purpose="step_up",route="twilio"} 1"#
            ),
            (
                .messageAttemptFailed(.email, route: "smtp", stage: "tls"),
                #"message_attempts_failed_total{channel="email",route="smtp",stage="tls"} 1"#
            ),
            (
                .messageFailed(.email, .notice, route: "", stage: "expired"),
                #"messages_failed_total{channel="email",purpose="notice",route="",stage="expired"} 1"#
            ),
            (.outboxRead(.webhooks, due: 4), #"outbox_due{outbox="webhooks"} 4"#),
            (.outboxClaimed(.messages, lag: 2), #"outbox_lag_seconds_sum{outbox="messages"} 2"#),
            (.passwordHashed(waited: 0.25, took: 0.5), "password_hash_wait_seconds_sum 0.25"),
            (.passwordHashed(waited: 0.25, took: 0.5), "password_hash_duration_seconds_sum 0.5"),
            (.passwordHashRefused, "password_hash_refused_total 1"),
            (.committed(batch), "commit_batch_writes_sum 3"),
            (.committed(batch), "commit_wait_seconds_sum 0.001"),
            (.committed(batch), "commit_duration_seconds_sum 0.004"),
            (.committed(batch), "commit_failures_total 1"),
            (.committed(batch), "writes_waiting 5"),
            (.writeRefused, "writes_refused_total 1"),
            (.called(EgressCall(.timedOut, seconds: 5)), #"egress_requests_total{result="timed_out"} 1"#),
            (.called(EgressCall(.timedOut, seconds: 5)), "egress_request_duration_seconds_sum 5"),
            (.spansExported(4), "spans_exported_total 4"),
            (.spansDropped(3), "spans_dropped_total 3"),
            (.keyAges([.access: 86_400]), #"signing_key_age_seconds{purpose="access"} 86400"#),
            (.notice(.clockJumped(seconds: 3)), #"notices_total{notice="clock_jumped"} 1"#),
            (.failed(.webhooks, StoreError.contended), #"background_errors_total{work="webhooks"} 1"#),
        ]
        for (occurrence, line) in expected {
            let lines = lines(occurrence)
            #expect(lines.contains(line), "\(occurrence)")
        }
    }
}
