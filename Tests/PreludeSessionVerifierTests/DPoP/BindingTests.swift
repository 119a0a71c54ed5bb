import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// RFC 9449 §6 and §7: which tokens go with which scheme.
@Suite("Verifier: binding")
struct BindingTests {
    @Test("RFC 9449 §7.1: a bound token with its proof is let in")
    func bound() async throws {
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.boundRequest())
        #expect(user.keyThumbprint == PublishedKeys.device.keyID)
    }

    @Test("RFC 9449 §7.2: a bound token is refused as a bearer token, alone and with its proof")
    func downgrade() async throws {
        let backend = try Backend()
        let token = try backend.boundToken.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .boundToken)
        let request = try Backend.request(["Bearer \(token)"], proofs: backend.proof(for: token).headers())
        let error = try await backend.verifier.refusal(of: request)
        #expect(error.reason == .boundToken)
        #expect(error.challenge?.hasPrefix(#"Bearer error="invalid_token""#) == true)
        #expect(error.challenge?.hasSuffix(#", DPoP algs="ES256""#) == true)
    }

    @Test(
        "RFC 9449 §6: a token bound to something unknown is no bearer token, and no proof fits it",
        arguments: [JSONValue.object([:]), .object(["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"])])
    func unknownConfirmation(_ confirmation: JSONValue) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["cnf"] = confirmation }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .boundToken)
        let request = try backend.boundRequest(token: { $0.claims["cnf"] = confirmation })
        #expect(try await backend.verifier.refusal(of: request).reason == .unboundToken)
    }

    @Test("A cnf that is no object makes the token malformed", arguments: [JSONValue.string("x"), .array([])])
    func malformedConfirmation(_ confirmation: JSONValue) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["cnf"] = confirmation }.compact()
        #expect(try await backend.verifier.refusal(of: token).reason == .malformed)
    }

    @Test("RFC 9449 §7.1: a bearer token is refused under DPoP, even with a good proof")
    func unbound() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(token: { $0.claims["cnf"] = nil })
        let error = try await backend.verifier.refusal(of: request)
        #expect(error.reason == .unboundToken)
        #expect(error.code == "invalid_token")
    }

    @Test("RFC 9449 §6.1: cnf.jkt is compared to the last character")
    func thumbprint() async throws {
        let backend = try Backend()
        for wrong in [PublishedKeys.device.keyID.lowercased(), PublishedKeys.device.keyID + "=", ""] {
            let request = try backend.boundRequest(token: { $0.claims["cnf"] = .object(["jkt": .string(wrong)]) })
            #expect(try await backend.verifier.refusal(of: request).reason == .wrongKey)
        }
    }

    @Test("RFC 9449 §4.3 step 12: a proof for one token does not carry another of the same key")
    func otherToken() async throws {
        let backend = try Backend()
        let one = try backend.boundToken.compact()
        let other = try backend.boundToken.with { $0.claims["jti"] = "tok_2" }.compact()
        let request = try Backend.request(["DPoP \(other)"], proofs: backend.proof(for: one).headers())
        #expect(try await backend.verifier.refusal(of: request).reason == .wrongAccessToken)
    }

    @Test("A bearer token in a request is let in, with or without DPoP at this backend", arguments: [true, false])
    func bearer(_ offersDPoP: Bool) async throws {
        let backend = try Backend(resources: offersDPoP ? [Backend.resource] : [])
        let request = try Backend.request(["Bearer \(backend.token.compact())"])
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
    }
}
