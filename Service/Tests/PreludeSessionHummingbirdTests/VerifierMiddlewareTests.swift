import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PreludeSessionVerifier
import SessionTokens
import Testing

@Suite("Verifier middleware")
struct VerifierMiddlewareTests {
    @Test("A bearer token is accepted, and the handler gets its user")
    func bearer() async throws {
        let response = try await MiddlewareBackend().get("/accounts/owner", MiddlewareBackend.bearer())
        #expect((response.status, response.text) == (.ok, "usr_1"))
        #expect(response.headers[try MiddlewareBackend.dpopNonce] == nil)
    }

    @Test("A bound token with its proof is accepted once (RFC 9449 §7.1)")
    func bound() async throws {
        let backend = try MiddlewareBackend()
        let fields = try MiddlewareBackend.bound(path: "/accounts/owner")
        #expect(try await backend.get("/accounts/owner", fields).text == "usr_1")
        let again = try await backend.get("/accounts/owner", fields)
        #expect((again.status, again.code) == (.unauthorized, "replayed_proof"))
    }

    @Test("Two valid proofs in one request are rejected (RFC 9449 §4.3 step 1)")
    func twoProofs() async throws {
        let response = try await MiddlewareBackend().get(
            "/accounts/owner", MiddlewareBackend.bound(path: "/accounts/owner", proofs: 2))
        #expect((response.status, response.code) == (.unauthorized, "missing_proof"))
    }

    @Test("A proof for the path without the group's prefix is rejected (RFC 9449 §4.3 step 9)")
    func otherPath() async throws {
        let response = try await MiddlewareBackend().get("/accounts/owner", MiddlewareBackend.bound(path: "/owner"))
        #expect((response.status, response.code) == (.unauthorized, "wrong_target"))
    }

    @Test("A request without credentials gets both challenges, a body and no-store")
    func noCredentials() async throws {
        let response = try await MiddlewareBackend().get("/accounts/owner")
        #expect((response.status, response.code) == (.unauthorized, "missing_credentials"))
        #expect(response.headers[.wwwAuthenticate] == #"Bearer, DPoP algs="ES256""#)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.contentType] == "application/json; charset=utf-8")
    }

    @Test("If nonces are required, errors and successful responses have a nonce (RFC 9449 §8.2)")
    func nonces() async throws {
        let backend = try MiddlewareBackend(nonces: .always(secret: MiddlewareBackend.secret))
        let path = "/accounts/owner"
        let rejected = try await backend.get(path, MiddlewareBackend.bound(path: path))
        #expect((rejected.status, rejected.code) == (.unauthorized, "nonce_required"))
        let nonce = try #require(rejected.headers[try MiddlewareBackend.dpopNonce])
        let response = try await backend.get(path, MiddlewareBackend.bound(path: path, nonce: nonce))
        #expect(response.status == .ok)
        #expect(response.headers[values: try MiddlewareBackend.dpopNonce] == [nonce])
        #expect(response.headers[values: .cacheControl] == ["no-store"])
    }

    @Test("An error that a handler throws is sent as the handler's response")
    func handlerThrows() async throws {
        let backend = try MiddlewareBackend()
        #expect(try await backend.get("/accounts/conflict", MiddlewareBackend.bearer()).status == .conflict)
        let old = try await backend.get("/accounts/recent", MiddlewareBackend.bearer())
        #expect((old.status, old.code) == (.unauthorized, "token_too_old"))
        #expect(old.headers[.wwwAuthenticate]?.hasPrefix(#"Bearer error="invalid_token""#) == true)
    }

    @Test("Requiring a user without the middleware gets missing_credentials")
    func without() async throws {
        let backend = try MiddlewareBackend()
        #expect(try await backend.get("/open", MiddlewareBackend.bearer()).code == "missing_credentials")
        #expect(try await backend.get("/unverified", MiddlewareBackend.bearer()).code == "missing_credentials")
    }
}

@Suite("Scope middleware")
struct ScopeMiddlewareTests {
    @Test("A request whose token has the scope is accepted", arguments: ["read", "stepped/read"])
    func granted(_ path: String) async throws {
        #expect(try await MiddlewareBackend().get("/accounts/\(path)", MiddlewareBackend.bearer()).text == "done")
    }

    @Test("A missing scope gets 403 with the name of the scope (RFC 6750 §3.1)")
    func lacking() async throws {
        let response = try await MiddlewareBackend().get("/accounts/admin", MiddlewareBackend.bearer())
        #expect((response.status, response.code) == (.forbidden, "insufficient_scope"))
        #expect(response.headers[.wwwAuthenticate]?.contains(#"scope="admin""#) == true)
    }

    @Test("A missing step-up scope gets 401 in the challenge of the used scheme (RFC 9470 §3)")
    func stepUp() async throws {
        let path = "/accounts/stepped/admin"
        let response = try await MiddlewareBackend().get(path, MiddlewareBackend.bound(path: path))
        #expect((response.status, response.code) == (.unauthorized, "insufficient_user_authentication"))
        let challenge = try #require(response.headers[.wwwAuthenticate])
        #expect(challenge.hasPrefix(#"Bearer, DPoP error="insufficient_user_authentication""#))
        #expect(challenge.contains(#"scope="admin""#))
    }
}
