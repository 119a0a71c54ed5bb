import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The rules of RFC 8725 and RFC 9068. The names of the mutations contain the sections.
@Suite("Verifier: token rules")
struct TokenRulesTests {
    // Proves: P6
    @Test("The verifier rejects an invalid token with every signature algorithm", arguments: TokenMutation.all)
    func rejected(_ mutation: TokenMutation) async throws {
        for signer in try Signers.all() {
            let backend = try Backend(signer: signer)
            let token = try backend.token.with { try mutation.change(&$0) }.compact()
            let error = try await backend.verifier.rejection(of: token)
            #expect(error.reason.rawValue == mutation.reason)
            #expect(error.status == .unauthorized)
            #expect(error.code == "invalid_token")
        }
    }

    // Proves: P6
    @Test(
        "The verifier rejects an invalid bound token before it checks the proof", arguments: TokenMutation.all)
    func rejectedWithProof(_ mutation: TokenMutation) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(token: { try mutation.change(&$0) })
        #expect(try await backend.verifier.rejection(of: request).reason.rawValue == mutation.reason)
    }

    @Test("A DPoP proof is rejected as an access token (RFC 8725 §3.12)")
    func proofAsToken() async throws {
        let backend = try Backend()
        let proof = try backend.proof(for: "token").headers()[0]
        #expect(try await backend.verifier.rejection(of: proof).reason == .malformed)
    }

    @Test("An optional claim that is null is invalid (RFC 7800 §3.1)", arguments: ["nbf", "scope", "sid", "cnf"])
    func null(_ claim: String) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims[claim] = .null }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .malformed)
    }

    @Test("A required claim that is empty counts as missing (RFC 9068 §2.2)", arguments: ["sub", "client_id", "jti"])
    func empty(_ claim: String) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims[claim] = "" }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .missingClaim)
    }

    @Test("Issuer, audience and kid are compared without Unicode normalization (RFC 7515 §10.13)")
    func normalization() async throws {
        // For Swift, the Kelvin sign equals the letter K.
        let kelvin = "\u{212A}"
        let signer = PublishedKeys.service
        var options = VerifierOptions()
        options.issuers = ["K"]
        options.environment = AdjustableClock().environment
        var entry = signer.publishedMembers
        entry["kid"] = "K"
        let keys = ScriptedKeySource(try TokenJSON.encode(["keys": [entry]]))
        let verifier = try SessionVerifier(
            service: Backend.service, audience: "K", options: options, keySource: keys)
        var token = TokenDraft(signer: signer, issuer: "K", audience: "K", now: AdjustableClock.start)
        token.header["kid"] = "K"
        #expect(try await verifier.verify(token.compact()).userID == "usr_1")
        for (name, reason) in [("iss", VerificationError.Reason.wrongIssuer), ("aud", .wrongAudience)] {
            let other = try token.with { $0.claims[name] = .string(kelvin) }.compact()
            #expect(try await verifier.rejection(of: other).reason == reason)
        }
        let other = try token.with { $0.header["kid"] = .string(kelvin) }.compact()
        #expect(try await verifier.rejection(of: other).reason == .unknownKey)
    }

    @Test("A token with several audiences is accepted if one is this app (RFC 7519 §4.1.3)")
    func severalAudiences() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["aud"] = .array(["otherapp", "testapp"]) }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test(
        "The header typ may be a full media type in any case (RFC 9068 §2.1, RFC 7515 §4.1.9)",
        arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
    func mediaType(_ type: String) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.header["typ"] = .string(type) }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("A token is accepted until exp plus the leeway, to the second (RFC 7519 §4.1.4)")
    func expiry() async throws {
        let backend = try Backend()
        let token = try backend.token.compact()
        backend.clock.advance(304)
        #expect(try await backend.verifier.verify(token).tokenID == "tok_1")
        backend.clock.advance(1)
        #expect(try await backend.verifier.rejection(of: token).reason == .expired)
    }

    @Test("A token is accepted from nbf minus the leeway, to the second (RFC 7519 §4.1.5)")
    func notBefore() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["nbf"] = .int(backend.clock.seconds + 6) }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .notYetValid)
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(token).tokenID == "tok_1")
    }

    @Test("Times may have fractions (RFC 7519 §2)")
    func fractions() async throws {
        let backend = try Backend { $0.leeway = 0 }
        let end = Double(backend.clock.seconds) + 0.5
        let token = try backend.token.with { $0.claims["exp"] = .double(end) }.compact()
        #expect(try await backend.verifier.verify(token).expiresAt.timeIntervalSince1970 == end)
        backend.clock.advance(0.5)
        #expect(try await backend.verifier.rejection(of: token).reason == .expired)
    }

    @Test("A token longer than 8192 bytes is rejected without a key fetch")
    func length() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["note"] = .string(String(repeating: "x", count: 8192)) }
            .compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .malformed)
        #expect(backend.source.fetches == 0)
    }
}

@Suite("Verifier: plain JWTs")
struct PlainJWTTests {
    private func backend() throws -> Backend { try Backend { $0.profile = .plainJWT } }

    @Test("With the plain profile, typ may be JWT or missing", arguments: [JSONValue.string("JWT"), nil])
    func types(_ type: JSONValue?) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.header["typ"] = type }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("With the plain profile, other types of tokens are rejected", arguments: ["dpop+jwt", "challenge+jwt"])
    func otherTypes(_ type: JSONValue) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.header["typ"] = type }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .wrongType)
    }

    @Test(
        "With the plain profile, aud, client_id, iat and jti may be missing",
        arguments: ["aud", "client_id", "iat", "jti"])
    func optional(_ claim: String) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.claims[claim] = nil }.compact()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("With the plain profile, iss, exp and sub are required", arguments: ["iss", "exp", "sub"])
    func required(_ claim: String) async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.claims[claim] = nil }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .malformed)
    }

    @Test("With the plain profile, a present aud must contain the audience")
    func audience() async throws {
        let backend = try backend()
        let token = try backend.token.with { $0.claims["aud"] = "otherapp" }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .wrongAudience)
    }
}
