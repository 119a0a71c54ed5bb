import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// Calls in the way of the web SDK 0.2 of the hosted product: no proofs, no challenge tokens, all tokens in cookies.
@Suite("Web apps of the older generation", .eachStore)
struct OlderWebStory {
    private let origin = BrowserSession.origin
    private let mail = "older@example.com"

    private func world(_ configure: (inout App) -> Void = { _ in }) async throws -> ServiceWorld {
        try await ServiceWorld {
            $0.allowedOrigins = [origin]
            configure(&$0)
        }
    }

    private func call(
        _ path: String, _ json: String, in world: ServiceWorld, cookie: String? = nil
    ) async throws -> ServiceAnswer {
        var headers = ["origin": origin]
        headers["cookie"] = cookie
        return try await world.call("/v1/session" + path, json: json, headers: headers)
    }

    /// - Returns: The cookie of the verification.
    private func start(in world: ServiceWorld) async throws -> String {
        let started = try await call(
            "/login/otp", #"{"identifier":{"type":"email_address","value":"\#(mail)"}}"#, in: world)
        #expect(started.status == 204)
        return try BrowserSession.cookie("verification-login_", in: started.head)
    }

    private func check(_ code: String, _ verification: String, in world: ServiceWorld) async throws -> ServiceAnswer {
        try await call("/login/otp/check", #"{"code":"\#(code)"}"#, in: world, cookie: verification)
    }

    private func claims(of answer: ServiceAnswer) throws -> [String: JSONValue] {
        let token = try #require(answer.body["access_token"]?.stringValue)
        return try JWT.unverifiedClaims(of: token, as: [String: JSONValue].self)
    }

    @Test("The check of the code starts the session, which is refreshed and revoked by cookie")
    func wholeLife() async throws {
        let world = try await world()
        let verification = try await start(in: world)
        world.clock.advance(by: .seconds(30))
        #expect(try await call("/login/otp/retry", "{}", in: world, cookie: verification).status == 204)
        #expect(try await check("000000", verification, in: world).status == 401)
        let checked = try await check(world.code(for: mail), verification, in: world)
        #expect(checked.status == 200 && checked.body.isEmpty)
        #expect(checked.head.headerFields[try #require(HTTPField.Name("x-refresh-token"))] == nil)
        let refreshed = try await call(
            "/refresh", "{}", in: world, cookie: try BrowserSession.cookie("refresh_", in: checked.head))
        #expect(refreshed.status == 200 && refreshed.body["token_type"]?.stringValue == "Bearer")
        let cookie = try BrowserSession.cookie("refresh_", in: refreshed.head)
        #expect(try await call("/revoke", "{}", in: world, cookie: cookie).status == 204)
        #expect(try await call("/refresh", "{}", in: world, cookie: cookie).status == 401)
    }

    @Test("A code challenge is rejected, because the check could not answer it and would spend the code")
    func challenge() async throws {
        let json =
            #"{"identifier":{"type":"email_address","value":"\#(mail)"},"code_challenge":"\#(String(repeating: "a", count: 43))"}"#
        let answer = try await call("/login/otp", json, in: try await world())
        #expect(answer.status == 400 && answer.body["field"]?.stringValue == "code_challenge")
    }

    @Test("A login that was begun with a code challenge keeps its code when this check cannot answer it")
    func challengeOfAnotherCall() async throws {
        let world = try await world()
        let challenge = String(repeating: "a", count: 42) + "A"
        let started = try await call(
            "/otp",
            #"{"identifier":{"type":"email_address","value":"\#(mail)"},"code_challenge":"\#(challenge)"}"#, in: world)
        #expect(started.status == 204)
        let verification = try BrowserSession.cookie("verification-login_", in: started.head)
        let code = try world.code(for: mail)
        let rejected = try await check(code, verification, in: world)
        #expect(rejected.status == 400 && rejected.body["field"]?.stringValue == "code_challenge")
        let json = #"{"code":"\#(code)"}"#
        #expect(try await call("/otp/check", json, in: world, cookie: verification).status == 200)
    }

    @Test("Access tokens repeat the mapped claims in cc, and only those of sessions without a key have it")
    func repeatedClaims() async throws {
        let world = try await world { app in
            app.claims = ClaimsConfig(mapping: ["plan": .literal(.string("gold"))], at: Timestamp(seconds: 0))
        }
        let verification = try await start(in: world)
        let checked = try await check(world.code(for: mail), verification, in: world)
        let refreshed = try await call(
            "/refresh", "{}", in: world, cookie: try BrowserSession.cookie("refresh_", in: checked.head))
        let claims = try claims(of: refreshed)
        #expect(claims["cc"] == .object(["plan": .string("gold")]) && claims["plan"] == .string("gold"))
        let bound = try await RawDevice(world)
        #expect(try JWT.unverifiedClaims(of: bound.accessToken, as: [String: JSONValue].self)["cc"] == nil)
    }

    @Test("A token with repeated claims is short enough for verifiers; what does not fit is null")
    func size() async throws {
        let world = try await world { app in
            app.claims = ClaimsConfig(
                mapping: [
                    "a": .literal(.string(String(repeating: "x", count: 1500))),
                    "b": .literal(.string(String(repeating: "x", count: 1500))),
                ], at: Timestamp(seconds: 0))
        }
        let session = try await BrowserSession(in: world)
        let claims = try JWT.unverifiedClaims(of: session.accessToken, as: [String: JSONValue].self)
        #expect(claims["a"] != .null && claims["b"] == .null && session.accessToken.utf8.count < 8192)
        let listed = try await world.call(
            "/v1/session/me/list", headers: ["origin": origin, "authorization": "Bearer " + session.accessToken])
        #expect(listed.status == 200)
    }

    @Test("Without mapped claims, cc is an empty object")
    func noClaims() async throws {
        let world = try await world()
        let session = try await BrowserSession(in: world)
        let claims = try JWT.unverifiedClaims(of: session.accessToken, as: [String: JSONValue].self)
        #expect(claims["cc"] == .object([:]))
    }

    @Test("An app that demands a key spends no code of a browser without one")
    func keyDemanded() async throws {
        let world = try await world { $0.sessions.deviceKey = .required }
        let verification = try await start(in: world)
        let code = try world.code(for: mail)
        for _ in 0..<10 {
            let answer = try await check(code, verification, in: world)
            #expect(answer.status == 401 && answer.code == "missing_dpop_proof")
        }
        let challenge = try await call("/otp/check", #"{"code":"\#(code)"}"#, in: world, cookie: verification)
        #expect(challenge.status == 200)
    }

    @Test("A device whose clock is wrong needs a nonce, and spends no code without one")
    func wrongClock() async throws {
        let world = try await world()
        let device = RawDevice(signedOut: world)
        let verification = try await start(in: world)
        let body = #"{"code":"\#(try world.code(for: mail))"}"#
        var proof = device.proof(.post, .webLoginCheck, id: "late")
        proof.claims["iat"] = .int(world.clock.timestamp.seconds - 3600)
        var headers = ["origin": origin, "cookie": verification, "dpop": try #require(try proof.headers().first)]
        let late = try await world.call("/v1/session/login/otp/check", json: body, headers: headers)
        #expect(late.code == "use_dpop_nonce")
        let nonce = try #require(late.nonce)
        proof = device.proof(.post, .webLoginCheck, id: "with a nonce", nonce: nonce)
        headers["dpop"] = try proof.headers().first
        #expect(try await world.call("/v1/session/login/otp/check", json: body, headers: headers).status == 200)
    }

    @Test("A page of another site cannot start a session")
    func foreignPage() async throws {
        let world = try await world()
        let verification = try await start(in: world)
        let answer = try await world.call(
            "/v1/session/login/otp/check", json: #"{"code":"\#(world.code(for: mail))"}"#,
            headers: ["origin": "https://evil.example", "cookie": verification])
        #expect(answer.status == 403)
    }
}
