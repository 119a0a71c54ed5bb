import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// Which tokens are accepted with which scheme (RFC 9449 §6 and §7).
@Suite("Verifier: binding")
struct BindingTests {
    // Proves: D26
    @Test("A bound token with its proof is accepted (RFC 9449 §7.1)")
    func bound() async throws {
        let backend = try Backend()
        let user = try await backend.verifier.verify(backend.boundRequest())
        #expect(user.keyThumbprint == PublishedKeys.device.keyID)
    }

    // Proves: D27
    @Test("A bound token is rejected as a bearer token, with and without its proof (RFC 9449 §7.2)")
    func downgrade() async throws {
        let backend = try Backend()
        let token = try backend.boundToken.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .boundToken)
        let request = try Backend.request(["Bearer \(token)"], proofs: backend.proof(for: token).headers())
        let error = try await backend.verifier.rejection(of: request)
        #expect(error.reason == .boundToken)
        #expect(error.challenge?.hasPrefix(#"Bearer error="invalid_token""#) == true)
        #expect(error.challenge?.hasSuffix(#", DPoP algs="ES256""#) == true)
    }

    @Test(
        "A token with an unsupported confirmation is rejected under Bearer and under DPoP (RFC 9449 §6)",
        arguments: [JSONValue.object([:]), .object(["x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"])])
    func unknownConfirmation(_ confirmation: JSONValue) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["cnf"] = confirmation }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .boundToken)
        let request = try backend.boundRequest(token: { $0.claims["cnf"] = confirmation })
        #expect(try await backend.verifier.rejection(of: request).reason == .unboundToken)
    }

    @Test("A token whose cnf is not an object is malformed", arguments: [JSONValue.string("x"), .array([])])
    func malformedConfirmation(_ confirmation: JSONValue) async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["cnf"] = confirmation }.compact()
        #expect(try await backend.verifier.rejection(of: token).reason == .malformed)
    }

    // Proves: D26
    @Test("A bearer token is rejected under DPoP even with a valid proof (RFC 9449 §7.1)")
    func unbound() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(token: { $0.claims["cnf"] = nil })
        let error = try await backend.verifier.rejection(of: request)
        #expect(error.reason == .unboundToken)
        #expect(error.code == "invalid_token")
    }

    @Test("A proof is rejected unless cnf.jkt equals its key's thumbprint exactly (RFC 9449 §6.1)")
    func thumbprint() async throws {
        let backend = try Backend()
        for wrong in [PublishedKeys.device.keyID.lowercased(), PublishedKeys.device.keyID + "=", ""] {
            let request = try backend.boundRequest(token: { $0.claims["cnf"] = .object(["jkt": .string(wrong)]) })
            #expect(try await backend.verifier.rejection(of: request).reason == .wrongKey)
        }
    }

    @Test("A proof for one token is rejected with another token of the same key (RFC 9449 §4.3 step 12)")
    func otherToken() async throws {
        let backend = try Backend()
        let one = try backend.boundToken.compact()
        let other = try backend.boundToken.with { $0.claims["jti"] = "tok_2" }.compact()
        let request = try Backend.request(["DPoP \(other)"], proofs: backend.proof(for: one).headers())
        #expect(try await backend.verifier.rejection(of: request).reason == .wrongAccessToken)
    }

    @Test("A bearer token is accepted whether or not the backend accepts DPoP", arguments: [true, false])
    func bearer(_ offersDPoP: Bool) async throws {
        let backend = try Backend(resources: offersDPoP ? [Backend.resource] : [])
        let request = try Backend.request(["Bearer \(backend.token.compact())"])
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
    }
}
