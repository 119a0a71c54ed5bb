import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Events of attempts to sign in")
struct LoginEventTests {
    private func events(_ changes: [Change]) -> [Event] {
        changes.compactMap { if case .append(let event) = $0 { event } else { nil } }
    }

    private func check(_ hash: String, signUp: Bool = true, _ fill: (inout FoundRows) throws -> Void) throws -> [Event]
    {
        let intent = CheckCode(
            appID: try appID(), tokenHash: "token", codeHashes: [hash], limits: LimitSettings(), signUp: signUp,
            newUserID: "usr_new", now: now, events: try TestApp.events())
        return events(intent.decide(try FoundRows(fill)).changes).filter { $0.name != .userCreated }
    }

    private func failure(_ reason: String, user: String? = nil) throws -> [String: JSONValue] {
        var data: [String: JSONValue] = [
            "reason": .string(reason), "method": "otp_email", "purpose": "login", "identifier": "a***@example.com",
        ]
        if let user { data["user_id"] = .string(user) }
        return data
    }

    @Test("Each outcome of a code check has at most one event, with its reason")
    func codes() throws {
        let mail = try TestApp.mail()
        let active = try TestApp.user([mail])
        let running = try TestApp.verification()
        typealias Row = (String, Bool, Verification?, User?, [[String: JSONValue]])
        let rows: [Row] = [
            ("right", true, running, active, []), ("right", true, running, nil, []),
            ("wrong", true, running, active, [try failure("wrong_code", user: "usr_1")]),
            ("wrong", true, running, nil, [try failure("wrong_code")]),
            ("wrong", false, running, nil, [try failure("unknown_user")]),
            ("right", false, running, nil, [try failure("unknown_user")]),
            (
                "right", true, running, try TestApp.user([mail], status: .suspended),
                [try failure("inactive_user", user: "usr_1")]
            ),
            (
                "right", true, running, try TestApp.user([try TestApp.mail("ADA@example.com")]),
                [try failure("other_spelling", user: "usr_1")]
            ),
            ("right", true, try TestApp.verification(checks: 5), active, [try failure("used_up")]),
            ("right", true, try TestApp.verification(expires: 0), active, [try failure("expired_code")]),
            ("right", true, nil, nil, []),
        ]
        for (hash, signUp, verification, user, expected) in rows {
            let made = try check(hash, signUp: signUp) { facts in
                facts.verification = verification
                // A code that is rejected anyway is checked without its user.
                facts.user = verification == running ? user : nil
            }
            #expect(made.map(\.data) == expected)
            #expect(made.allSatisfy { $0.name == .loginFailed })
        }
    }

    // Proves: A2
    @Test("Known and unknown identifiers cause the same changes, with data of their own", arguments: [true, false])
    func known(isKnown: Bool) throws {
        let intent = CheckCode(
            appID: try appID(), tokenHash: "token", codeHashes: ["wrong"], limits: LimitSettings(), signUp: true,
            newUserID: "usr_new", now: now, events: try TestApp.events())
        func kinds(_ user: User?) throws -> [String] {
            try intent.decide(
                FoundRows {
                    $0.verification = try TestApp.verification()
                    $0.user = user
                }
            ).changes.map { String("\($0)".prefix { $0 != "(" }) }
        }
        #expect(try kinds(isKnown ? try TestApp.user([try TestApp.mail()]) : nil) == kinds(nil))
    }

    // Proves: A4
    @Test("An expired or used-up code is reported once, however often it is tried", arguments: [5, 0])
    func once(checks: Int) throws {
        let verification = try TestApp.verification(checks: checks, expires: checks == 5 ? 60 : 0)
        let intent = CheckCode(
            appID: try appID(), tokenHash: "token", codeHashes: ["right"], limits: LimitSettings(), signUp: true,
            newUserID: "usr_new", now: now, events: try TestApp.events())
        let first = intent.decide(FoundRows { $0.verification = verification }).changes
        guard case .redeem(let key, _, _)? = first.first else { return #expect(Bool(false), "\(first)") }
        let later = intent.decide(
            FoundRows {
                $0.verification = verification
                $0.failures.add(.taken(.redemption(key)))
            })
        #expect(later == Decision(.spent))
    }

    @Test("A limit is reported once per counter and hour, and kept in mind until the hour of its end is over")
    func limited() throws {
        let mail = try TestApp.mail()
        let counter = CounterKey.failures(.anonymous(mail), .hour)
        let limit = ReachedLimit(counter, until: now + 9)
        let factory = try TestApp.events()
        let changes = factory.loginLimited(limit, .emailCode, of: LoginSubject(mail), GuardFailures())
        #expect(
            events(changes).map(\.data) == [
                [
                    "limit": "failures_hour", "method": "otp_email", "purpose": "login",
                    "identifier": "a***@example.com", "setting": "limits.failed_checks",
                    "retry_at": .string((now + 9).rfc3339),
                ]
            ])
        guard case .redeem(let key, let until, _)? = changes.first else { return #expect(Bool(false), "\(changes)") }
        #expect(until > now + 9 && until <= now + 9 + 3600)
        let taken = GuardFailures(.taken(.redemption(key)))
        #expect(factory.loginLimited(limit, .emailCode, of: LoginSubject(mail), taken).isEmpty)
        // A limit that always refuses ends later with each call. It has the same key within the hour.
        let moved = factory.loginLimited(
            ReachedLimit(counter, until: now + 10), .emailCode, of: LoginSubject(mail), taken)
        #expect(moved.isEmpty)
        let next = factory.loginLimited(
            ReachedLimit(counter, until: now + 3609), .emailCode, of: LoginSubject(mail), taken)
        #expect(events(next).count == 1)
    }

    @Test("A limit that users share is reported for each of them once an hour, and for 1000 identifiers at most")
    func limitedTogether() throws {
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        let limit = ReachedLimit(.startsOfNetwork("net"), until: now + 9)
        let factory = try TestApp.events()
        func changes(_ identifier: CanonicalIdentifier, user: String?, _ failures: FailedGuard...) -> [Change] {
            var all = GuardFailures()
            for failure in failures { all.add(failure) }
            return factory.loginLimited(limit, .emailCode, of: LoginSubject(identifier, userID: user), all)
        }
        let first = changes(phone, user: nil)
        #expect(events(first).count == 1 && limit.reported(by: first).isReported)
        let taken = FailedGuard.taken(.redemption(limit.reportKey))
        let ofUser = changes(mail, user: "usr_1", taken)
        #expect(events(ofUser).map { $0.data["user_id"] } == ["usr_1"] && !limit.reported(by: ofUser).isReported)
        #expect(Decision((), ofUser).occurrences.isEmpty)
        // The time of an answer must not tell whether there is a user: as much is written.
        let ofStranger = changes(phone, user: nil, taken)
        #expect(events(ofStranger).map { $0.data["user_id"] } == [nil] && ofStranger.count == 3 && ofUser.count == 3)
        guard case .redeem(let key, _, _)? = ofUser.first, case .count(let reports, _, let most, _) = ofUser[1] else {
            return #expect(Bool(false), "\(ofUser)")
        }
        #expect(most == RateLimit(limit: 1000, window: 3600) && !key.contains("example.com"))
        #expect(changes(mail, user: "usr_1", taken, .taken(.redemption(key))).isEmpty)
        #expect(changes(mail, user: "usr_1", taken, .exhausted(reports, until: now + 3600)).isEmpty)
        // Invented identifiers spend nothing of the reports of users.
        #expect(changes(phone, user: nil, taken, .exhausted(reports, until: now + 3600)).count == 3)
        #expect(changes(phone, user: nil, taken, .exhausted(.withheld(reports), until: now + 3600)).isEmpty)
        // A counter of one identifier is that of one user.
        let own = ReachedLimit(.failures(.anonymous(mail), .hour), until: now + 9)
        let known = GuardFailures(.taken(.redemption(own.reportKey)))
        #expect(factory.loginLimited(own, .emailCode, of: LoginSubject(mail, userID: "usr_1"), known).isEmpty)
    }

    @Test("A limited password attempt and a limited start report the limit, and nothing else is written")
    func limitedIntents() throws {
        let mail = try TestApp.mail()
        let budget = CallBudget(.start, limits: LimitSettings(), device: nil, now: now)
        let key = budget.counters(for: mail, device: .stranger)[0].key
        let facts = FoundRows { $0.failures.add(.exhausted(key, until: now + 9)) }
        let verification = try TestApp.verification()
        let start = StartVerification(
            appID: try appID(), identifier: mail, signUp: true, budget: budget, draft: TestApp.draft, now: now,
            events: try TestApp.events()
        ) { _, _ in verification }
        #expect(events(start.decide(facts).changes).map(\.name) == [.loginLimited])
        #expect(events(start.decide(facts).changes).map { $0.data["method"] } == ["otp_email"])
        let tries = CallBudget(.check, limits: LimitSettings(), device: nil, now: now)
        let counter = tries.counters(for: mail, device: .stranger)[0].key
        let attempt = BeginPasswordTry(
            appID: try appID(), identifier: mail, budget: tries, events: try TestApp.events())
        let user = try TestApp.user()
        let limited = attempt.decide(
            FoundRows {
                $0.failures.add(.exhausted(counter, until: now + 9))
                $0.user = user
            })
        #expect(events(limited.changes).map { $0.data["limit"] } == ["failures_hour"])
        #expect(events(limited.changes).map { $0.data["setting"] } == ["limits.failed_checks"])
        #expect(
            events(limited.changes).map { $0.data["user_id"] } == [.string(user.id)], "so that an operator finds it")
        #expect(events(limited.changes).map { $0.data["method"] } == ["password"])
    }

    // Proves: A4
    @Test("The limit of requests for a scope is reported once, with the user and the session")
    func stepUpLimit() throws {
        let intent = CountStepUp(
            user: "usr_1", session: "ses_1", app: try appID(), limit: RateLimit(limit: 30, window: 600), now: now,
            events: try TestApp.events())
        let reached = FailedGuard.exhausted(.stepUps(userID: "usr_1"), until: now + 5)
        let changes = intent.decide(FoundRows { $0.failures.add(reached) }).changes
        #expect(
            events(changes).map(\.data) == [
                [
                    "limit": "step_ups", "setting": "limits.step_ups", "purpose": "step_up", "user_id": "usr_1",
                    "session_id": "ses_1",
                    "retry_at": .string((now + 5).rfc3339),
                ]
            ])
        guard case .redeem(let key, _, _)? = changes.first else { return #expect(Bool(false), "\(changes)") }
        let again = FoundRows {
            $0.failures.add(reached)
            $0.failures.add(.taken(.redemption(key)))
        }
        #expect(intent.decide(again) == Decision(now + 5))
    }

    // Proves: A4
    @Test("A proven login that starts no session is reported once per challenge and reason")
    func failedStart() throws {
        var challenge = ChallengeClaims(
            iss: "", aud: "", sub: "usr_1", jti: "chl_1", iat: now.seconds, exp: now.seconds + 300,
            challengeID: "chg_1", currentStep: ChallengeClaims.completed, grantMode: ChallengeClaims.sessionStart)
        func report(_ reason: LoginFailure) throws -> ReportFailedLogin {
            ReportFailedLogin(reason, challenge: challenge, now: now, events: try TestApp.events())
        }
        let reasons: [LoginFailure] = [.voidChallenge, .reusedChallenge, .wrongVerifier, .inactiveUser, .unknownUser]
        var keys: Set<String> = []
        for reason in reasons {
            let changes = try report(reason).decide(FoundRows()).changes
            var data: [String: JSONValue] = ["reason": .string(reason.rawValue), "purpose": "login"]
            // A deleted user is not named.
            if reason != .unknownUser { data["user_id"] = "usr_1" }
            #expect(events(changes).map(\.data) == [data])
            guard case .redeem(let key, let until, _)? = changes.first else {
                return #expect(Bool(false), "\(changes)")
            }
            #expect(until == now + 300)
            keys.insert(key)
            #expect(try report(reason).decide(FoundRows { $0.failures.add(.taken(.redemption(key))) }).changes.isEmpty)
        }
        #expect(keys.count == reasons.count)
        challenge.method = .password
        #expect(
            events(try report(.voidChallenge).decide(FoundRows()).changes).map { $0.data["method"] } == ["password"])
    }

    @Test("An address that is refused again and again is reported once per window")
    func source() async throws {
        let (sources, recorder) = (SourceLimiter(), EventRecorder())
        let (limit, source) = (RateLimit(limit: 2, window: 60), SourceAddress(ip: "203.0.113.7"))
        func take(after seconds: Int = 0) async -> Bool {
            do {
                try await sources.take(
                    .invalidCalls, for: .login(.emailCode), source: source, limit: limit, now: now + seconds,
                    reporting: try TestApp.events(),
                    to: recorder)
                return true
            } catch {
                return false
            }
        }
        for _ in 0..<2 { #expect(await take()) }
        #expect(recorder.events.isEmpty)
        for _ in 0..<50 { #expect(await take() == false) }
        #expect(recorder.events.map(\.name) == [.loginLimited])
        let retry = (now + 60).rfc3339
        #expect(
            recorder.events.map(\.data) == [
                [
                    "limit": "invalid_calls", "setting": "limits.invalid_calls_per_address", "purpose": "login",
                    "method": "otp_email", "retry_at": .string(retry),
                ]
            ])
        for _ in 0..<2 { #expect(await take(after: 61)) }
        for _ in 0..<2 { #expect(await take(after: 61) == false) }
        #expect(recorder.events.count == 2)
    }
}

@Suite("Masked identifiers")
struct MaskedIdentifierTests {
    @Test(
        "An identifier shows enough for its owner, and too little for a stranger",
        arguments: [
            ("email_address", "Mike@Example.com", "m***@example.com"),
            ("email_address", "m@example.com", "***@example.com"),
            ("email_address", "é.long.name+tag@sub.example.com", "é***@sub.example.com"),
            ("phone_number", "+33612345689", "+33•••••••89"), ("phone_number", "+1234567", "+12•••67"),
            ("phone_number", "+1 (415) 555-0100", "+14•••••••00"),
        ])
    func masks(type: String, value: String, masked: String) throws {
        #expect(try CanonicalIdentifier(type: type, value: value).masked == masked)
    }

    @Test("A stored value in another form is not shown")
    func malformed() {
        #expect(CanonicalIdentifier(type: .emailAddress, canonical: "mike", value: "mike").masked == "***")
        #expect(CanonicalIdentifier(type: .phoneNumber, canonical: "+123", value: "+123").masked == "+•••")
    }
}
