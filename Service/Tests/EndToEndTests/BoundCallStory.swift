import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// One change to a valid call, and the expected response.
private struct Mutation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let code: String
    let error: String
    let change: @Sendable (inout RawDevice.Credentials, RawDevice) throws -> Void

    init(
        _ name: String, _ status: Int, _ code: String, _ error: String,
        _ change: @escaping @Sendable (inout RawDevice.Credentials, RawDevice) throws -> Void
    ) {
        testDescription = name
        self.status = status
        self.code = code
        self.error = error
        self.change = change
    }

    /// A change to one claim of the proof.
    static func proof(
        _ name: String, _ status: Int = 400, _ code: String = "invalid_dpop_proof",
        _ error: String = "invalid_dpop_proof", _ change: @escaping @Sendable (inout ProofDraft) -> Void
    ) -> Mutation {
        Mutation(name, status, code, error) { call, device in
            var proof = device.proof(.sessions, accessToken: device.accessToken)
            change(&proof)
            call.proofs = try proof.headers()
        }
    }
}

/// A valid call with a bound token, and calls with one change (RFC 9449 §4.3, §7.1).
@Suite("A call with a bound access token", .eachStore)
struct BoundCallStory {
    private static let mutations: [Mutation] = [
        Mutation("No proof (D4)", 401, "missing_dpop_proof", "invalid_dpop_proof") { call, _ in call.proofs = [] },
        Mutation("Two proofs (D2)", 400, "invalid_dpop_proof", "invalid_dpop_proof") { call, device in
            call.proofs += try device.proof(.sessions, accessToken: device.accessToken).headers()
        },
        Mutation("The Bearer scheme (D27)", 401, "unauthorized", "invalid_token") { call, _ in
            call.scheme = "Bearer"
        },
        Mutation("The key of another device (D16)", 401, "dpop_key_mismatch", "invalid_token") { call, device in
            let other = RawDevice(signedOut: device.world, key: .generate(.es256))
            call.proofs = try other.proof(.sessions, accessToken: device.accessToken).headers()
        },
        Mutation("A proof that is not a JWT (D3)", 400, "invalid_dpop_proof", "invalid_dpop_proof") { call, _ in
            call.proofs = ["proof"]
        },
        .proof("No ath claim (D16)") { $0.claims["ath"] = nil },
        .proof("The ath claim of another token (D16)") {
            $0.claims["ath"] = .string(DPoPProof.accessTokenHash("other"))
        },
        .proof("Another method (D9)") { $0.claims["htm"] = "POST" },
        .proof("Another path (D10)") {
            $0.claims["htu"] = .string(ServiceWorld.localOrigin + FrontendPath.identifiers.rawValue)
        },
        .proof("Another origin (D10)") {
            $0.claims["htu"] = .string("https://evil.example" + FrontendPath.sessions.rawValue)
        },
        .proof("An iat claim too far in the past (D13)", 400, "use_dpop_nonce", "use_dpop_nonce") { $0.delay(by: 61) },
        .proof("An iat claim too far in the future (D13)", 400, "use_dpop_nonce", "use_dpop_nonce") {
            $0.delay(by: -61)
        },
        .proof("A nonce that the service did not issue (D33)", 400, "use_dpop_nonce", "use_dpop_nonce") {
            $0.claims["nonce"] = "other"
        },
    ]

    private func device() async throws -> RawDevice {
        try await RawDevice(try await ServiceWorld { $0.sessions.accessTokenBinding = .dpop })
    }

    @Test("A valid call succeeds")
    func valid() async throws {
        let device = try await device()
        #expect(try await device.send(.sessions, try device.credentials(.sessions)).status == 200)
    }

    // Proves: D16
    @Test("A call with one invalid part is rejected, and the challenge names the reason", arguments: mutations)
    private func changed(mutation: Mutation) async throws {
        let device = try await device()
        var call = try device.credentials(.sessions)
        try mutation.change(&call, device)
        let answer = try await device.send(.sessions, call)
        #expect(answer.status == mutation.status)
        #expect(answer.body["code"] == .string(mutation.code))
        let challenge = try #require(answer.head.headerFields[.wwwAuthenticate])
        #expect(challenge.contains(#"error="\#(mutation.error)""#))
        #expect(challenge.contains(#"DPoP "#) && challenge.contains(#"algs="ES256""#))
        #expect(answer.head.headerFields[.cacheControl] == "no-store")
        #expect((answer.nonce != nil) == (mutation.code == "use_dpop_nonce"))
    }

    @Test("A proof is valid once (D15)")
    func replay() async throws {
        let device = try await device()
        let call = try device.credentials(.sessions)
        #expect(try await device.send(.sessions, call).status == 200)
        let again = try await device.send(.sessions, call)
        #expect(again.status == 400 && again.body["code"] == .string("invalid_dpop_proof"))
    }

    @Test("One of many concurrent calls with the same proof succeeds (D15)")
    func race() async throws {
        let device = try await device()
        let call = try device.credentials(.sessions)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await device.send(.sessions, call).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 15)
    }

    @Test("A call with a nonce gets the next nonce, and later calls need one (D34, D36)")
    func nonces() async throws {
        let device = try await device()
        let token = device.accessToken
        var proof = device.proof(.sessions, accessToken: token)
        proof.delay(by: 3600)
        let refused = try await device.send(.sessions, .init(accessToken: token, proofs: try proof.headers()))
        let nonce = try #require(refused.nonce)
        proof.claims["nonce"] = .string(nonce)
        proof.claims["jti"] = "another-jti"
        let answered = try await device.send(.sessions, .init(accessToken: token, proofs: try proof.headers()))
        #expect(answered.status == 200)
        #expect(answered.nonce != nil)
        let without = try await device.send(.sessions, try device.credentials(.sessions))
        #expect(without.status == 400 && without.body["code"] == .string("use_dpop_nonce"))
    }

    @Test("If the app always requires a nonce, a fresh proof without one is rejected (D36)")
    func always() async throws {
        let world = try await ServiceWorld {
            $0.sessions.accessTokenBinding = .dpop
        }
        let device = try await RawDevice(world)
        _ = try await world.manage(
            "/config/sessions", json: #"{"access_token_binding": "dpop", "nonce_policy": "always"}"#, method: .put)
        let refused = try await device.send(.sessions, try device.credentials(.sessions))
        #expect(refused.status == 400 && refused.body["code"] == .string("use_dpop_nonce"))
    }

    @Test("A page of the app can read the nonce and the rejection (D35)")
    func page() async throws {
        let world = try await ServiceWorld {
            $0.sessions.accessTokenBinding = .dpop
            $0.allowedOrigins = [BrowserSession.origin]
        }
        let device = try await RawDevice(world)
        var call = try device.credentials(.sessions)
        call.headers["origin"] = BrowserSession.origin
        let answered = try await device.send(.sessions, call)
        #expect(answered.status == 200)
        #expect(answered.head.headerFields[.accessControlExposeHeaders]?.contains("DPoP-Nonce") == true)
        let again = try await device.send(.sessions, call)
        #expect(again.status == 400)
        #expect(again.head.headerFields[.accessControlAllowOrigin] == BrowserSession.origin)
        #expect(again.head.headerFields[.accessControlExposeHeaders]?.contains("WWW-Authenticate") == true)
    }

    @Test("An app with bearer tokens offers no other scheme (D28, D29)", arguments: [nil, "wrong"])
    func bearerApp(token: String?) async throws {
        let device = try await RawDevice(try await ServiceWorld())
        let answer = try await device.send(.sessions, .init(scheme: "Bearer", accessToken: token))
        #expect(answer.status == 401)
        let expected = token == nil ? "Bearer" : #"Bearer error="invalid_token""#
        #expect(answer.head.headerFields[.wwwAuthenticate] == expected)
    }
}

extension ProofDraft {
    /// Moves `iat` back by a number of seconds.
    fileprivate mutating func delay(by seconds: Int64) {
        guard case .int(let issuedAt) = claims["iat"] else { return }
        claims["iat"] = .int(issuedAt - seconds)
    }
}
