import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// RFC 8725 and RFC 9068, rule by rule: the rules are in the names of the mutations.
@Suite("Verifier: rules of tokens")
struct TokenRulesTests {
    @Test("A token that breaks one rule is refused, whatever its key", arguments: TokenMutation.all)
    func refused(_ mutation: TokenMutation) async throws {
        for signer in try Signers.all() {
            let backend = try Backend(signer: signer)
            let token = try backend.token.with { try mutation.change(&$0) }.compact()
            let error = try await backend.verifier.refusal(of: token)
            #expect(error.reason.rawValue == mutation.reason)
            #expect(error.status == .unauthorized)
            #expect(error.code == "invalid_token")
        }
    }

    @Test(
        "The same token is refused under the scheme DPoP, before its proof is looked at", arguments: TokenMutation.all)
    func refusedWithProof(_ mutation: TokenMutation) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(token: { try mutation.change(&$0) })
        #expect(try await backend.verifier.refusal(of: request).reason.rawValue == mutation.reason)
    }

    @Test("RFC 8725 §3.12: a proof is no access token")
    func proofAsToken() async throws {
        let backend = try Backend()
        let proof = try backend.proof(for: "token").headers()[0]
        #expect(try await backend.verifier.refusal(of: proof).reason == .malformed)
    }

    @Test("RFC 7519 §4.1.3: an audience of several that has this app in it is right")
    func severalAudiences() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["aud"] = .array(["otherapp", "testapp"]) }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test(
        "RFC 9068 §2.1, RFC 7515 §4.1.9: typ may be a whole media type, in any case",
        arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
    func mediaType(_ type: String) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.header["typ"] = .string(type) }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("RFC 7519 §4.1.4: exp counts to the second, and the leeway after it")
    func expiry() async throws {
        let backend = try Backend()
        let token = try backend.token.compact()
        backend.clock.advance(304)
        #expect(try await backend.verifier.verify(token).tokenID == "tok_1")
        backend.clock.advance(1)
        #expect(try await backend.verifier.refusal(of: token).reason == .expired)
    }

    @Test("RFC 7519 §4.1.5: nbf counts to the second, and the leeway before it")
    func notBefore() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["nbf"] = .int(backend.clock.seconds + 6) }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .notYetValid)
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(token).tokenID == "tok_1")
    }

    @Test("RFC 7519 §2: times may have fractions")
    func fractions() async throws {
        let backend = try Backend { $0.leeway = 0 }
        let end = Double(backend.clock.seconds) + 0.5
        let token = try backend.token.with { $0.claims["exp"] = .double(end) }.compact()
        #expect(try await backend.verifier.verify(token).expiresAt.timeIntervalSince1970 == end)
        backend.clock.advance(0.5)
        #expect(try await backend.verifier.refusal(of: token).reason == .expired)
    }

    @Test("A token longer than 8192 bytes is refused, and its key is not looked for")
    func length() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["note"] = .string(String(repeating: "x", count: 8192)) }
            .compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .malformed)
        #expect(backend.source.fetches == 0)
    }
}

@Suite("Verifier: plain JWTs")
struct PlainJWTTests {
    private func backend() throws -> Backend { try Backend { $0.profile = .plainJWT } }

    @Test("With the plain profile typ may be JWT or missing", arguments: [JSONValue.string("JWT"), nil])
    func types(_ type: JSONValue?) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.header["typ"] = type }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("Another kind of token is refused with the plain profile as well", arguments: ["dpop+jwt", "challenge+jwt"])
    func otherTypes(_ type: JSONValue) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.header["typ"] = type }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .wrongType)
    }

    @Test(
        "What RFC 9068 requires beyond iss, exp and sub may be missing", arguments: ["aud", "client_id", "iat", "jti"])
    func optional(_ claim: String) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.claims[claim] = nil }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("iss, exp and sub may not", arguments: ["iss", "exp", "sub"])
    func required(_ claim: String) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.claims[claim] = nil }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .malformed)
    }

    @Test("An audience that is there must be right")
    func audience() async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.claims["aud"] = "otherapp" }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .wrongAudience)
    }
}
