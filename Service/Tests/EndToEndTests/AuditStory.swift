import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import SessionWire
import Testing

/// The audit trail, as an operator reads it.
@Suite("What happened, read back", .eachStore)
struct AuditStory {
    private static let email = "grace@example.com"

    /// The events of a list in the management API, oldest first, without the key that reads them.
    private func trail(_ world: ServiceWorld, _ query: String) async throws -> [[String: PreludeJSONValue]] {
        let answer = try await world.manage("/events?limit=100&" + query)
        try #require(answer.status == 200)
        guard case .array(let events)? = answer.body["events"] else { return [] }
        return events.reversed().compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    private func text(_ event: [String: PreludeJSONValue], _ path: String...) -> String? {
        var value = PreludeJSONValue.object(event)
        for name in path {
            guard case .object(let members) = value, let member = members[name] else { return nil }
            value = member
        }
        return value.stringValue
    }

    // Proves: A1
    @Test("One person's whole trail: codes, failures, sessions, and what an operator did")
    func person() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.email)))
        let code = try world.code(for: Self.email)
        await #expect(throws: PreludeSessionError.self) {
            try await client.checkOTP(code == "000000" ? "000001" : "000000")
        }
        let id = try #require(try await client.checkOTP(code).profile.userID)
        _ = try await world.manage("/users/\(id)/password", json: #"{"password": "a long passphrase"}"#, method: .put)
        let login = FrontendPath.passwordLogin.rawValue
        _ = try await world.call(login, json: #"{"identifier": "\#(Self.email)", "password": "wrong"}"#)
        _ = try await world.manage("/users/\(id)/status", json: #"{"status": "suspended"}"#, method: .put)
        _ = try await world.call(login, json: #"{"identifier": "\#(Self.email)", "password": "a long passphrase"}"#)

        let events = try await trail(world, "user_id=\(id)")
        #expect(
            events.map { [text($0, "name"), text($0, "context", "actor", "type"), text($0, "data", "reason")] } == [
                ["user.created", "client", nil], ["user.session.created", "client", nil],
                ["user.password.updated", "management_key", nil],
                ["user.session.revoked", "management_key", "password_changed"],
                ["login.failed", "client", "wrong_password"], ["user.status.updated", "management_key", nil],
                ["login.failed", "client", "inactive_user"],
            ])
        #expect(text(events[1], "data", "method") == "otp_email")
        #expect(events.allSatisfy { text($0, "context", "request_id")?.hasPrefix("req_") == true })
        #expect(text(events[2], "context", "actor", "name") == "test")
        // Before the user existed, only the masked identifier tells whose attempts these were.
        let before = try await trail(world, "name=login.*").first
        #expect(before.flatMap { text($0, "data", "reason") } == "wrong_code")
        #expect(before.flatMap { text($0, "data", "identifier") } == "g***@example.com")
        let sent = try await trail(world, "name=code.sent")
        #expect(sent.map { text($0, "data", "identifier") } == ["g***@example.com"])
    }

    // Proves: A2
    @Test("Known and unknown addresses fail with events that only the operator can tell apart")
    func unknown() async throws {
        let world = try await ServiceWorld()
        _ = try await world.signedIn(Self.email)
        let login = FrontendPath.passwordLogin.rawValue
        for address in [Self.email, "stranger@example.com"] {
            let answer = try await world.call(login, json: #"{"identifier": "\#(address)", "password": "wrong"}"#)
            #expect(answer.status == 401)
        }
        let failed = try await trail(world, "name=login.failed")
        #expect(
            failed.map { [text($0, "data", "reason"), text($0, "data", "identifier")] } == [
                ["no_password", "g***@example.com"], ["unknown_user", "s***@example.com"],
            ])
    }

    // Proves: A4
    @Test("A flood of limited attempts writes one event per counter, not one per attempt")
    func flood() async throws {
        let world = try await ServiceWorld { app in
            app.otpLimits.failedChecks = RateLimit(limit: 2, window: 900)
        }
        let login = FrontendPath.passwordLogin.rawValue
        for _ in 0..<40 {
            _ = try await world.call(login, json: #"{"identifier": "\#(Self.email)", "password": "wrong"}"#)
        }
        #expect(try await trail(world, "name=login.failed").count == 2)
        let limited = try await trail(world, "name=login.limited")
        #expect(limited.map { text($0, "data", "limit") } == ["failures_hour"])
    }

    // Proves: A3
    @Test("No event contains a code, password, token or key that the flows used")
    func secrets() async throws {
        let world = try await ServiceWorld()
        let created = try await world.service.managementKeys.create(name: "backend", app: world.appID)
        let rotated = try await world.service.managementKeys.rotate(
            id: created.key.id, of: world.appID, by: created.key)
        try await world.service.signingKeys.rotate(.access, of: world.appID, reason: .emergency)
        try await world.allow("pay")
        var device = try await RawDevice(world, email: Self.email)
        var secrets = [created.secret, rotated.secret, device.accessToken, device.refreshToken]
        try device.take(try await device.refresh())
        secrets += [device.accessToken, device.refreshToken]
        let client = try await world.signedIn("ada@example.com")
        try await client.stepUp("pay", in: world)
        let password = "a long passphrase"
        let user = try #require(await client.profile?.userID)
        _ = try await world.manage("/users/\(user)/password", json: #"{"password": "\#(password)"}"#, method: .put)
        _ = try await world.call(
            FrontendPath.passwordLogin.rawValue,
            json: #"{"identifier": "ada@example.com", "password": "\#(password)!"}"#)
        let webhook = try await world.manage(
            "/webhooks", json: #"{"url": "https://backend.example.com/s3cr3t-path?key=s3cr3t-query"}"#)
        secrets += [try #require(webhook.body["verification_token"]?.stringValue), "s3cr3t-path", "s3cr3t-query"]
        secrets += [password] + world.mailbox.messages.compactMap(\.code).map { "\"\($0)\"" }

        let store = world.service.store
        let events =
            try await store.events(app: world.appID, limit: 1000, offset: 0)
            + store.events(app: .service, limit: 1000, offset: 0)
        let text = try events.map {
            String(decoding: try TokenJSON.encode(AuditedEventBody($0, withAppID: true)), as: UTF8.self)
        }.joined(separator: "\n")
        #expect(events.count > 15 && secrets.count > 10)
        for secret in secrets { #expect(!text.contains(secret)) }
        for name in ["management.key.revoked", "signing_key.rotated", "code.sent", "step_up.granted", "login.failed"] {
            #expect(text.contains(name))
        }
    }

    @Test("Each app keeps its events as long as it says", arguments: [(1, false), (30, true)])
    func retention(days: Int, isKept: Bool) async throws {
        let world = try await ServiceWorld { $0.eventRetention = days }
        let event = try #require(try await world.service.store.events(app: world.appID, limit: 1, offset: 0).first)
        world.clock.advance(seconds: 2 * 86_400)
        try await world.runHousekeeping()
        let kept = try await world.service.store.events(app: world.appID, limit: 100, offset: 0)
        #expect(kept.contains(event) == isKept)
    }
}
