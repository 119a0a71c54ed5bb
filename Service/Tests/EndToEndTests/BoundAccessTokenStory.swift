import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionHTTP
import SessionTokens
import SessionWire
import Testing

/// An app whose access tokens are bound to the device's key (RFC 9449 §6, §7).
@Suite("Access tokens that are bound to the key", .eachStore)
struct BoundAccessTokenStory {
    private func world(_ noncePolicy: SessionPolicy.NoncePolicy = .whenNeeded) async throws -> ServiceWorld {
        try await ServiceWorld { app in
            app.sessions.accessTokenBinding = .dpop
            app.sessions.noncePolicy = noncePolicy
            app.allowedOrigins = [BrowserSession.origin]
        }
    }

    private static func bind(_ binding: String, in world: ServiceWorld) async throws {
        let set = try await world.manage(
            "/config/sessions", json: #"{"access_token_binding": "\#(binding)"}"#, method: .put)
        try #require(set.status == 200)
    }

    @Test(
        "The SDK works with bound tokens from login to logout",
        arguments: [SessionPolicy.NoncePolicy.whenNeeded, .always], [0.0, 7200])
    func journey(noncePolicy: SessionPolicy.NoncePolicy, clockSkew: Double) async throws {
        let world = try await world(noncePolicy)
        try await world.allow("prld:pwd:write")
        let store = PreludeInMemoryCredentialStore()
        let client = try await world.signedIn(store: store, clockSkew: clockSkew)
        #expect(try await client.listSessions().total == 1)
        #expect(try await client.fetchIdentifiers().map(\.value) == ["ada@example.com"])
        try await client.stepUp("prld:pwd:write", in: world)
        try await client.changePassword(RedactedString("correct horse battery"))
        // The app restarts with the stored record.
        let relaunched = try world.client(store: store, clockSkew: clockSkew)
        #expect(try await relaunched.listSessions().total == 1)
        world.clock.advance(seconds: 301)
        #expect(try await relaunched.listSessions().total == 1)
        let other = try await world.signedIn()
        try await relaunched.revokeSessions(.others)
        await #expect(throws: PreludeSessionError.self) { try await other.listSessions() }
        try await relaunched.logout()
        await relaunched.revokeEndedSessions()
        #expect(await relaunched.profile == nil)
        #expect(try await world.eventNames().last == "user.session.revoked")
    }

    @Test("A bound token names the thumbprint of the session's key, and its type is DPoP (D17, D24)")
    func confirmation() async throws {
        var device = try await RawDevice(try await world())
        #expect(try device.confirmation() == device.key.publicJWK.thumbprint)
        #expect(device.tokenType == "DPoP")
        try device.take(await device.refresh())
        #expect(try device.confirmation() == device.key.publicJWK.thumbprint)
        #expect(device.tokenType == "DPoP")
    }

    @Test("Without the setting, tokens are not bound and their type is Bearer (D17)")
    func unbound() async throws {
        let device = try await RawDevice(try await ServiceWorld())
        #expect(try device.confirmation() == nil)
        #expect(device.tokenType == "Bearer")
    }

    // Proves: D28
    @Test("A stolen bound token is rejected, however it is presented (D27)", arguments: FrontendPath.signedIn)
    func stolen(path: FrontendPath) async throws {
        let world = try await world()
        let owner = try await RawDevice(world)
        let thief = try await RawDevice(world, email: "thief@example.com", key: .generate(.es256))
        let token = owner.accessToken
        let proofs = try thief.proof(path, accessToken: token).headers()

        let bare = try await thief.send(path, .init(scheme: "Bearer", accessToken: token))
        #expect(bare.status == 401 && bare.body["code"] == .string("unauthorized"))
        #expect(bare.head.headerFields[.wwwAuthenticate] == #"Bearer error="invalid_token", DPoP algs="ES256""#)
        let proven = try await thief.send(path, .init(scheme: "Bearer", accessToken: token, proofs: proofs))
        #expect(proven.status == 401 && proven.body["code"] == .string("unauthorized"))
        let unproven = try await thief.send(path, .init(accessToken: token))
        #expect(unproven.status == 401 && unproven.body["code"] == .string("missing_dpop_proof"))
        #expect(
            unproven.head.headerFields[.wwwAuthenticate] == #"DPoP error="invalid_dpop_proof", algs="ES256""#)
        let own = try await thief.send(path, .init(accessToken: token, proofs: proofs))
        #expect(own.status == 401 && own.body["code"] == .string("dpop_key_mismatch"))
        #expect(own.head.headerFields[.wwwAuthenticate] == #"DPoP error="invalid_token", algs="ES256""#)
        let nothing = try await thief.send(path, .init())
        #expect(nothing.status == 401 && nothing.body["code"] == .string("unauthorized"))
        #expect(nothing.head.headerFields[.wwwAuthenticate] == #"DPoP algs="ES256""#)

        // The owner's session is not affected.
        #expect(try await owner.send(.sessions, try owner.credentials(.sessions)).status == 200)
    }

    @Test("A bound token with the Bearer scheme is rejected, even with the owner's proof (D27)")
    func ownerAsBearer() async throws {
        let device = try await RawDevice(try await world())
        var credentials = try device.credentials(.sessions)
        credentials.scheme = "Bearer"
        #expect(try await device.send(.sessions, credentials).status == 401)
    }

    @Test("A token that is not bound is rejected with the DPoP scheme (RFC 9449 §6, D23)")
    func unboundAsBound() async throws {
        let device = try await RawDevice(try await ServiceWorld())
        var credentials = try device.credentials(.sessions)
        let refused = try await device.send(.sessions, credentials)
        #expect(refused.status == 401 && refused.body["code"] == .string("unauthorized"))
        #expect(
            refused.head.headerFields[.wwwAuthenticate] == #"Bearer, DPoP error="invalid_token", algs="ES256""#)
        credentials = try device.credentials(.sessions)
        credentials.scheme = "Bearer"
        #expect(try await device.send(.sessions, credentials).status == 200)
    }

    @Test("After binding is turned on, issued tokens stay valid and the next token is bound")
    func switchedOn() async throws {
        let world = try await ServiceWorld()
        var device = try await RawDevice(world)
        try await Self.bind("dpop", in: world)
        #expect(
            try await device.send(.sessions, .init(scheme: "Bearer", accessToken: device.accessToken)).status == 200)
        try device.take(await device.refresh())
        #expect(try device.confirmation() != nil)
        let bearer = try await device.send(.sessions, .init(scheme: "Bearer", accessToken: device.accessToken))
        #expect(bearer.status == 401)
        #expect(try await device.send(.sessions, try device.credentials(.sessions)).status == 200)
    }

    // Proves: D23
    @Test("After binding is turned off, issued tokens stay bound and the next token is a bearer token")
    func switchedOff() async throws {
        let world = try await world()
        var device = try await RawDevice(world)
        try await Self.bind("none", in: world)
        let bearer = try await device.send(.sessions, .init(scheme: "Bearer", accessToken: device.accessToken))
        #expect(bearer.status == 401)
        #expect(try await device.send(.sessions, try device.credentials(.sessions)).status == 200)
        try device.take(await device.refresh())
        #expect(try device.confirmation() == nil)
        #expect(
            try await device.send(.sessions, .init(scheme: "Bearer", accessToken: device.accessToken)).status == 200)
    }

    @Test("The SDK keeps working when binding is turned on and off")
    func sdkFollows() async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        for binding in ["dpop", "none", "dpop"] {
            try await Self.bind(binding, in: world)
            #expect(try await client.listSessions().total == 1)
            world.clock.advance(seconds: 301)
            #expect(try await client.listSessions().total == 1)
        }
    }

    @Test("A browser without a proof cannot sign in, and its challenge stays valid (D22)")
    func keyless() async throws {
        let world = try await world()
        let challenge = try await world.completedLogin("web@example.com")
        let refused = try await world.call(
            "/v1/session/login/finalize", json: #"{"challenge_token":"\#(challenge)"}"#,
            headers: ["origin": BrowserSession.origin])
        #expect(refused.status == 401 && refused.body["code"] == .string("missing_dpop_proof"))
        #expect(try await world.eventNames().contains("user.session.created") == false)
        var device = RawDevice(signedOut: world)
        try device.take(await device.finalize(challenge))
        #expect(try await device.send(.sessions, try device.credentials(.sessions)).status == 200)
    }

    @Test("A session without a key cannot refresh while tokens are bound, and can afterwards (D22)")
    func keylessBefore() async throws {
        let world = try await ServiceWorld { $0.allowedOrigins = [BrowserSession.origin] }
        var browser = try await BrowserSession(in: world)
        try await Self.bind("dpop", in: world)
        let refused = try await browser.call("/refresh", json: "{}")
        #expect(refused.status == 401 && refused.body["code"] == .string("missing_dpop_proof"))
        try await Self.bind("none", in: world)
        let refreshed = try await browser.call("/refresh", json: "{}")
        #expect(refreshed.status == 200)
        browser.cookie = try BrowserSession.cookie("refresh_", in: refreshed.head)
        #expect(try await browser.call("/refresh", json: "{}").status == 200)
    }
}
