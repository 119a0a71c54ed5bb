import HTTPTypes
@_spi(Service) import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@Suite("Lost responses of a login", .eachStore)
struct LostLoginAnswerStory {
    private static let mail = "ada@example.com"

    private func start(_ client: PreludeSessionClient) async throws {
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.mail)))
    }

    @Test("A login with a code succeeds although each response is lost once, and has one session")
    func code() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        try await start(client)
        faults.inject(.dropAnswer, on: .checkOTP)
        faults.inject(.dropAnswer, on: .finalizeLogin)
        let user = try await client.checkOTP(try world.code(for: Self.mail))
        #expect(user.isNewUser)
        #expect(try await client.listSessions().sessions.map(\.id) == [user.profile.sessionID])
        let events = try await world.eventNames()
        for name in ["user.created", "user.session.created"] { #expect(events.count { $0 == name } == 1) }
        try await client.invalidateSession()
        _ = try await client.refresh()
    }

    @Test("The same code continues after a network error, whatever was lost", arguments: [2, 3, 4])
    func again(times: Int) async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        try await start(client)
        let code = try world.code(for: Self.mail)
        faults.inject(.dropAnswer, on: .checkOTP, times: times)
        faults.inject(.dropAnswer, on: .finalizeLogin, times: times)
        var user: PreludeUser?
        for _ in 0..<8 where user == nil { user = try? await client.checkOTP(code) }
        #expect(user?.isNewUser == true)
        #expect(try await client.listSessions().sessions.count == 1)
    }

    @Test("A login with a password succeeds although each response is lost once, and has one session")
    func password() async throws {
        let world = try await ServiceWorld()
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: Self.mail)],
            password: "staple crystal lantern")
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        faults.inject(.dropAnswer, on: .loginWithPassword)
        faults.inject(.dropAnswer, on: .finalizeLogin)
        _ = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: Self.mail, password: "staple crystal lantern"))
        #expect(try await client.listSessions().sessions.count == 1)
    }

    @Test("Two calls with one code have one session", .timeLimit(.minutes(1)))
    func twice() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await start(client)
        let code = try world.code(for: Self.mail)
        async let first = try? client.checkOTP(code)
        async let second = try? client.checkOTP(code)
        let users = await [first, second].compactMap { $0 }
        #expect(!users.isEmpty && Set(users.map(\.profile.sessionID)).count == 1)
        #expect(try await client.listSessions().sessions.count == 1)
    }

    @Test("A wrong code after the right one counts, and five of them end the login")
    func wrongAfterRight() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        try await start(client)
        let code = try world.code(for: Self.mail)
        faults.inject(.dropAnswer, on: .checkOTP, times: 2)
        await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        for index in 1...5 {
            let error = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP("1234567") }
            #expect(error?.needsNewCode == (index == 5))
        }
        await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
    }

    @Test("The right code of a login with code_challenge is accepted for five minutes, and not after the session began")
    func lifetime() async throws {
        let world = try await ServiceWorld()
        let (verification, code, _) = try await begun(world)
        let first = try await check(code, verification, world)
        world.clock.advance(seconds: 299)
        let second = try await check(code, verification, world)
        #expect(first.status == 200 && second.status == 200)
        let tokens = try [first, second].map { try #require($0.body["challenge_token"]?.stringValue) }
        let claims = try tokens.map { try JWT.unverifiedClaims(of: $0, as: ChallengeClaims.self) }
        #expect(claims[0].jti == claims[1].jti && claims[0].exp == claims[1].exp)
        world.clock.advance(seconds: 1)
        #expect(try await check(code, verification, world).code == "invalid_verification_token")
        let other = try await begun(world)
        let token = try #require(
            try await check(other.code, other.verification, world).body["challenge_token"]?.stringValue)
        let device = RawDevice(signedOut: world)
        #expect(try await finalize(device, token, other.verifier, id: "one").status == 200)
        #expect(try await check(other.code, other.verification, world).code == "invalid_verification_token")
    }

    // Proves: R18
    @Test(
        "A finalize is repeated for its key and attempt until the first refresh; without an attempt id it is a conflict"
    )
    func finalize() async throws {
        let world = try await ServiceWorld()
        var owner = RawDevice(signedOut: world)
        let (verification, code, verifier) = try await begun(world)
        let token = try #require(try await check(code, verification, world).body["challenge_token"]?.stringValue)
        let first = try await finalize(owner, token, verifier, id: "one", attempt: 1)
        let again = try await finalize(owner, token, verifier, id: "two", attempt: 1)
        let name = try #require(HTTPField.Name(HeaderName.refreshToken))
        #expect(first.status == 200 && again.status == 200)
        #expect(first.head.headerFields[name] == again.head.headerFields[name])
        #expect(first.body["is_new_user"] == .bool(true) && again.body["is_new_user"] == .bool(true))
        let replayed = try await finalize(owner, token, verifier, id: "two", attempt: 1)
        #expect(replayed.code == "invalid_dpop_proof")
        for (id, attempt) in [("three", 2), ("four", nil)] as [(String, Int?)] {
            let other = try await finalize(owner, token, verifier, id: id, attempt: attempt)
            #expect(other.status == 409 && other.code == "token_reused")
        }
        let thief = RawDevice(signedOut: world, key: .generate(.es256))
        #expect(try await finalize(thief, token, verifier, id: "five", attempt: 1).status == 409)
        try owner.take(again)
        try owner.take(await owner.refresh(id: "six") { $0.claims["attempt"] = .string(Self.attempt(7)) })
        #expect(try await finalize(owner, token, verifier, id: "seven", attempt: 1).status == 409)
        #expect(try await owner.refresh(id: "eight").status == 200)
        #expect(try await world.eventNames().filter { $0 == "user.session.created" }.count == 1)
    }

    private static func attempt(_ number: Int) -> String { String(repeating: "A", count: 20) + "\(number)A" }

    /// A login with a `code_challenge` that waits for its code.
    private func begun(_ world: ServiceWorld) async throws -> (verification: String, code: String, verifier: String) {
        let verifier = PKCE.verifier(from: SDKEnvironment.live.randomBytes(32))
        let started = try await world.call(
            FrontendPath.otp.rawValue,
            json: #"{"identifier":{"type":"email_address","value":"\#(Self.mail)"},"#
                + #""code_challenge":"\#(PKCE.challenge(for: verifier))"}"#)
        let name = try #require(HTTPField.Name(HeaderName.verificationToken))
        return (try #require(started.head.headerFields[name]), try world.code(for: Self.mail), verifier)
    }

    private func check(_ code: String, _ verification: String, _ world: ServiceWorld) async throws -> ServiceAnswer {
        try await world.call(
            FrontendPath.otpCheck.rawValue, json: #"{"code":"\#(code)"}"#,
            headers: [HeaderName.verificationToken: verification])
    }

    private func finalize(
        _ device: RawDevice, _ token: String, _ verifier: String, id: String, attempt: Int? = nil
    ) async throws -> ServiceAnswer {
        let proofs = try device.proof(.post, .finalize, id: id).with { draft in
            if let attempt { draft.claims["attempt"] = .string(Self.attempt(attempt)) }
        }.headers()
        return try await device.send(
            .finalize, json: #"{"challenge_token":"\#(token)","code_verifier":"\#(verifier)"}"#,
            RawDevice.Credentials(proofs: proofs))
    }
}
