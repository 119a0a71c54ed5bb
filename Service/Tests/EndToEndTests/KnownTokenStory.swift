import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// The service verifies the signature of a token once, and knows it then. Nothing else of a check is left out.
@Suite("A token whose signature the service knows", .eachStore)
struct KnownTokenStory {
    private func accepted(_ world: ServiceWorld, email: String = "ada@example.com") async throws -> RawDevice {
        let device = try await RawDevice(world, email: email, key: .generate(.es256))
        for _ in 0..<2 { #expect(try await device.sessions(token: device.accessToken).status == 200) }
        return device
    }

    /// Header, payload and signature.
    private func parts(_ token: String) -> [String] { token.split(separator: ".").map(String.init) }

    // Proves: K5
    @Test("Its signature is accepted for no other text, and no other signature for it")
    func parts() async throws {
        let world = try await ServiceWorld()
        let (one, other) = (try await accepted(world), try await accepted(world, email: "bob@example.com"))
        let (mine, others) = (parts(one.accessToken), parts(other.accessToken))
        for forged in [
            [mine[0], others[1], mine[2]], [mine[0], mine[1], others[2]], [others[0], others[1], mine[2]],
            [mine[0], mine[1], String(mine[2].dropFirst()) + "A"], [mine[0], mine[1], ""],
            [mine[0], mine[1], mine[2] + mine[2]], [mine[0], mine[1] + mine[2], ""],
            [mine[0], String(mine[1].dropLast(4)), String(mine[1].suffix(4)) + mine[2]],
        ] {
            #expect(try await one.sessions(token: forged.joined(separator: ".")).status == 401)
        }
        #expect(try await one.sessions(token: one.accessToken).status == 200)
    }

    // Proves: K5
    @Test("With one change to its content, it is rejected", arguments: TokenMutation.all)
    func changed(_ mutation: TokenMutation) async throws {
        let device = try await accepted(try await ServiceWorld())
        let app = try await device.world.service.directory.app(device.world.appID)
        var draft = TokenDraft(
            signer: app.accessKey,
            claims: try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self))
        try mutation.change(&draft)
        let token = try draft.compact()
        // The second time, a signature that is valid is known.
        for _ in 0..<2 { #expect(try await device.sessions(token: token).status == 401) }
    }

    enum End: CaseIterable { case expiry, logout, revocation, suspension, emergency }

    // Proves: K5
    @Test("It is rejected from its end on", arguments: End.allCases)
    func ended(by end: End) async throws {
        let world = try await ServiceWorld()
        let device = try await accepted(world)
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: AccessTokenClaims.self)
        switch end {
        case .expiry: world.clock.advance(seconds: Int(claims.exp - world.clock.timestamp.seconds))
        case .logout:
            let proofs = try device.proof(.post, .revoke).headers()
            let answer = try await device.send(
                .revoke, json: nil,
                .init(scheme: "Bearer", proofs: proofs, headers: [HeaderName.refreshToken: device.refreshToken]))
            try #require(answer.status == 204)
        case .revocation:
            let answer = try await world.call(
                FrontendPath.revokeSessions.rawValue + "?target=all",
                headers: ["authorization": "Bearer \(device.accessToken)"], method: .post)
            try #require(answer.status == 204)
        case .suspension:
            let answer = try await world.manage(
                "/users/\(claims.sub)/status", json: #"{"status": "suspended"}"#, method: .put)
            try #require(answer.status == 200)
        case .emergency:
            try await world.service.signingKeys.rotate(.access, of: world.appID, reason: .emergency)
        }
        #expect(try await device.sessions(token: device.accessToken).status == 401)
    }

    // Proves: K5
    @Test("It is rejected by another app, which has other keys")
    func otherApp() async throws {
        let device = try await accepted(try await ServiceWorld())
        let other = try await accepted(try await ServiceWorld())
        #expect(try await other.sessions(token: device.accessToken).status == 401)
    }

    // Proves: K5
    @Test("A challenge token, whose signature its issuer knows, is spent once, and rejected after a change")
    func challenge() async throws {
        let world = try await ServiceWorld()
        let (challenge, second) = (
            try await world.completedLogin("ada@example.com"), try await world.completedLogin("bob@example.com")
        )
        let device = RawDevice(signedOut: world)
        let (mine, others) = (parts(challenge), parts(second))
        for forged in [
            [mine[0], others[1], mine[2]], [mine[0], mine[1], others[2]], [others[0], mine[1], mine[2] + "A"],
        ] {
            #expect(try await device.finalize(forged.joined(separator: "."), id: "forged").status != 200)
        }
        #expect(try await device.finalize(challenge, id: "one").status == 200)
        #expect(try await device.finalize(challenge, id: "two").status != 200)
        try await world.service.signingKeys.rotate(.challenge, of: world.appID, reason: .emergency)
        #expect(try await device.finalize(second, id: "three").status != 200)
    }
}
