import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("The queue of revocations", .timeLimit(.minutes(5)))
struct RevocationQueueTests {
    /// A device without a session whose queue has these entries: tokens, and the seconds until they expire.
    private func queue(_ entries: KeyValuePairs<String, Double?>) async throws -> ClientFixture {
        let fixture = try await ClientFixture(signedIn: false)
        var pending = PendingRevocations()
        for (token, seconds) in entries {
            let expiresAt = seconds.map { fixture.clock.now.addingTimeInterval($0) }
            pending.add(PendingRevocations.Entry(refreshToken: token, expiresAt: expiresAt))
        }
        try await fixture.store.write(try pending.encoded(), to: ClientFixture.name + ".revocations")
        return fixture
    }

    /// Starts a client that gets these responses, and waits for it.
    private func start(_ fixture: ClientFixture, answering answers: ScriptedTransport.Answer...) async throws {
        for answer in answers { await fixture.transport.answer("/revoke", answer) }
        try await fixture.client().revokeEndedSessions()
    }

    private func pending(_ fixture: ClientFixture) async throws -> [String] {
        let data = try await fixture.store.read(ClientFixture.name + ".revocations")
        guard let data, case .valid(let record) = RecordContent<PendingRevocations>(data) else { return [] }
        return record.entries.map(\.refreshToken)
    }

    private func sent(_ fixture: ClientFixture) async -> [String?] {
        await fixture.transport.requests("/revoke").map { $0.headers["x-refresh-token"] }
    }

    private static func date(_ seconds: Double) -> [String: String] {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return ["date": format.string(from: Date(timeIntervalSince1970: seconds))]
    }

    // Proves: R22, E7
    @Test("A revocation is sent although the device's clock has passed its expiry")
    func clockAhead() async throws {
        let fixture = try await queue(["a": -86400])
        try await start(fixture, answering: .success())
        #expect(await sent(fixture) == ["a"])
        #expect(try await pending(fixture).isEmpty)
    }

    @Test("A revocation that has expired by the server's time is dropped after any response, and not without one")
    func expiry() async throws {
        let fixture = try await queue(["a": 3600])
        fixture.clock.advance(86400)
        try await start(fixture, answering: .offline)
        #expect(try await pending(fixture) == ["a"])
        let today = Self.date(TestClock.start + 86400)
        try await start(fixture, answering: .errorResponse(404, "not_found", headers: today))
        #expect(try await pending(fixture).isEmpty)
    }

    // Proves: E7
    @Test("A response corrects the clock before a revocation counts as expired")
    func correctedClock() async throws {
        let fixture = try await queue(["a": -86400])
        let date = Self.date(TestClock.start - 31 * 86400)
        try await start(fixture, answering: .errorResponse(404, "not_found", headers: date))
        #expect(try await pending(fixture) == ["a"])
    }

    // Proves: E7
    @Test(
        "A revocation is kept and sent again after a response that decides nothing",
        arguments: [
            ScriptedTransport.Answer.errorResponse(400, "invalid_dpop_proof"), .errorResponse(404, "not_found"),
            .errorResponse(403, "forbidden"), .errorBody(200, ""), .errorBody(202, ""), .errorResponse(500, "internal"),
        ])
    func undecided(answer: ScriptedTransport.Answer) async throws {
        let fixture = try await queue(["a": nil])
        try await start(fixture, answering: answer)
        #expect(try await pending(fixture) == ["a"])
        try await start(fixture, answering: .success())
        #expect(await sent(fixture) == ["a", "a"])
        #expect(try await pending(fixture).isEmpty)
    }

    // Proves: E7
    @Test("A failing revocation does not delay the others")
    func failing() async throws {
        let fixture = try await queue(["a": nil, "b": nil, "c": nil])
        try await start(
            fixture, answering: .success(), .errorResponse(500, "internal"), .success())
        #expect(await sent(fixture) == ["c", "b", "a"])
        #expect(try await pending(fixture) == ["b"])
    }

    @Test("Without a response for one revocation the others are not sent")
    func offline() async throws {
        let fixture = try await queue(["a": nil, "b": nil])
        try await start(fixture, answering: .offline)
        #expect(await sent(fixture) == ["b"])
        #expect(try await pending(fixture) == ["a", "b"])
    }

    // Proves: E7
    @Test(
        "A command sends each revocation once, however it ends",
        arguments: [ScriptedTransport.Answer.offline, .errorResponse(500, "internal"), .proxyResponse(429)])
    func once(answer: ScriptedTransport.Answer) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/revoke", answer)
        try await client.logoutAndRevoke()
        await client.revokeEndedSessions()
        #expect(await sent(fixture) == ["refresh-0"])
        await fixture.transport.answer("/revoke", answer)
        let next = try fixture.client()
        _ = await next.profile
        await next.revokeEndedSessions()
        await next.revokeEndedSessions()
        #expect(await sent(fixture) == ["refresh-0", "refresh-0"])
    }

    @Test("Callers that wait for a running task cause no second request for the same revocation")
    func sharedTask() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .held(gate, .errorResponse(500, "internal")))
        async let logout: Void = client.logoutAndRevoke()
        await fixture.transport.arrival(of: "/revoke")
        async let first: Void = client.revokeEndedSessions()
        async let second: Void = client.engine.revocations.send().value
        for _ in 0..<100 { await Task.yield() }
        await gate.open()
        _ = try await (logout, first, second)
        #expect(await sent(fixture) == ["refresh-0"])
    }

    @Test("Retry-After delays a revocation, and not that of a session that ends later")
    func retryAfter() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer("/revoke", .errorResponse(429, "rate_limited", headers: ["retry-after": "30"]))
        try await client.logoutAndRevoke()
        await client.engine.revocations.send().value
        #expect(await sent(fixture) == ["refresh-0"])
        try await fixture.signIn(session: "ses_2", refreshToken: "refresh-1")
        await fixture.transport.answer("/revoke", .success())
        try await client.logoutAndRevoke()
        #expect(await sent(fixture) == ["refresh-0", "refresh-1"])
        fixture.clock.advance(30)
        await fixture.transport.answer("/revoke", .success())
        await client.engine.revocations.send().value
        #expect(await sent(fixture) == ["refresh-0", "refresh-1", "refresh-0"])
        #expect(try await pending(fixture).isEmpty)
    }

    // Proves: E7
    @Test("A wait for old revocations ends after 3 seconds, and the request goes on")
    func boundedWait() async throws {
        let fixture = try await ClientFixture()
        await fixture.transport.answer("/revoke", .offline)
        try await fixture.client().logoutAndRevoke()
        let gate = Gate()
        await fixture.transport.answer("/revoke", .held(gate, .success()))
        let (clock, randomness) = (fixture.clock, fixture.randomness)
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = fixture.store
        configuration.transport = fixture.transport
        configuration.environment = SDKEnvironment(
            now: { clock.now }, randomBytes: { randomness.bytes($0) },
            sleep: { if $0 != 3 { try await SDKEnvironment.untilCancelled($0) } })
        let client = try PreludeSessionClient(configuration: configuration)
        await client.revokeEndedSessions()
        #expect(try await pending(fixture) == ["refresh-0"])
        await gate.open()
        await client.engine.revocations.send().value
        #expect(try await pending(fixture).isEmpty)
        #expect(await sent(fixture).count == 2)
    }

    @Test("A key that another process has replaced with the session is looked up before a revocation is settled")
    func replacedKey() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        _ = try await client.refresh()
        _ = try await PreludeSoftwareDeviceKeyStore(store: fixture.store).makeKey(ClientFixture.name)
        try await fixture.signIn(session: "ses_2")
        let mismatch = ScriptedTransport.Answer.errorResponse(401, "dpop_key_mismatch")
        await fixture.transport.answer("/revoke", mismatch, .success(), mismatch)
        try await client.logoutAndRevoke()
        // The old session is bound to the old key, which does not exist any more.
        #expect(await sent(fixture) == ["refresh-0", "refresh-0", "refresh-1"])
        #expect(try await pending(fixture).isEmpty)
    }
}
