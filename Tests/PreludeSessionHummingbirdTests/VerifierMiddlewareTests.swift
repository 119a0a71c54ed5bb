import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PreludeSessionVerifier
import SessionTokens
import Testing

@Suite("Verifier middleware")
struct VerifierMiddlewareTests {
    @Test("A bearer token is let in, and the handler knows whose it is")
    func bearer() async throws {
        let answer = try await MiddlewareBackend().get("/accounts/owner", MiddlewareBackend.bearer())
        #expect((answer.status, answer.text) == (.ok, "usr_1"))
        #expect(answer.headers[try MiddlewareBackend.dpopNonce] == nil)
    }

    @Test("RFC 9449 §7.1: a bound token with its proof is let in, once")
    func bound() async throws {
        let backend = try MiddlewareBackend()
        let fields = try MiddlewareBackend.bound(path: "/accounts/owner")
        #expect(try await backend.get("/accounts/owner", fields).text == "usr_1")
        let again = try await backend.get("/accounts/owner", fields)
        #expect((again.status, again.code) == (.unauthorized, "replayed_proof"))
    }

    @Test("RFC 9449 §4.3 step 1: two proofs are refused, though each is good")
    func twoProofs() async throws {
        let answer = try await MiddlewareBackend().get(
            "/accounts/owner", MiddlewareBackend.bound(path: "/accounts/owner", proofs: 2))
        #expect((answer.status, answer.code) == (.unauthorized, "missing_proof"))
    }

    @Test("RFC 9449 §4.3 step 9: a proof for another path is refused, behind a group's prefix as well")
    func otherPath() async throws {
        let answer = try await MiddlewareBackend().get("/accounts/owner", MiddlewareBackend.bound(path: "/owner"))
        #expect((answer.status, answer.code) == (.unauthorized, "wrong_target"))
    }

    @Test("Nobody's request is answered with both schemes and a body, and no cache keeps it")
    func nobody() async throws {
        let answer = try await MiddlewareBackend().get("/accounts/owner")
        #expect((answer.status, answer.code) == (.unauthorized, "missing_credentials"))
        #expect(answer.headers[.wwwAuthenticate] == #"Bearer, DPoP algs="ES256""#)
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
    }

    @Test("RFC 9449 §8.2: where nonces are needed, a refusal names one, and a good answer the next")
    func nonces() async throws {
        let backend = try MiddlewareBackend(nonces: .always(secret: MiddlewareBackend.secret))
        let path = "/accounts/owner"
        let refused = try await backend.get(path, MiddlewareBackend.bound(path: path))
        #expect((refused.status, refused.code) == (.unauthorized, "nonce_required"))
        let nonce = try #require(refused.headers[try MiddlewareBackend.dpopNonce])
        let answer = try await backend.get(path, MiddlewareBackend.bound(path: path, nonce: nonce))
        #expect(answer.status == .ok)
        #expect(answer.headers[values: try MiddlewareBackend.dpopNonce] == [nonce])
        #expect(answer.headers[values: .cacheControl] == ["no-store"])
    }

    @Test("What a handler refuses is answered as the handler has it")
    func handlerRefuses() async throws {
        let backend = try MiddlewareBackend()
        #expect(try await backend.get("/accounts/closed", MiddlewareBackend.bearer()).status == .conflict)
        let old = try await backend.get("/accounts/young", MiddlewareBackend.bearer())
        #expect((old.status, old.code) == (.unauthorized, "token_too_old"))
        #expect(old.headers[.wwwAuthenticate]?.hasPrefix(#"Bearer error="invalid_token""#) == true)
    }

    @Test("Without the middleware nobody is known, and that is a refusal")
    func without() async throws {
        let backend = try MiddlewareBackend()
        #expect(try await backend.get("/open", MiddlewareBackend.bearer()).code == "missing_credentials")
        #expect(try await backend.get("/careless", MiddlewareBackend.bearer()).code == "missing_credentials")
    }
}

@Suite("Scope middleware")
struct ScopeMiddlewareTests {
    @Test("A scope that the token has lets it in", arguments: ["read", "stepped/read"])
    func granted(_ path: String) async throws {
        #expect(try await MiddlewareBackend().get("/accounts/\(path)", MiddlewareBackend.bearer()).text == "done")
    }

    @Test("RFC 6750 §3.1: a scope that it lacks is 403, which names the scope")
    func lacking() async throws {
        let answer = try await MiddlewareBackend().get("/accounts/admin", MiddlewareBackend.bearer())
        #expect((answer.status, answer.code) == (.forbidden, "insufficient_scope"))
        #expect(answer.headers[.wwwAuthenticate]?.contains(#"scope="admin""#) == true)
    }

    @Test("RFC 9470 §3: a scope to step up for is 401, under the scheme in use")
    func stepUp() async throws {
        let path = "/accounts/stepped/admin"
        let answer = try await MiddlewareBackend().get(path, MiddlewareBackend.bound(path: path))
        #expect((answer.status, answer.code) == (.unauthorized, "insufficient_user_authentication"))
        let challenge = try #require(answer.headers[.wwwAuthenticate])
        #expect(challenge.hasPrefix(#"Bearer, DPoP error="insufficient_user_authentication""#))
        #expect(challenge.contains(#"scope="admin""#))
    }
}
