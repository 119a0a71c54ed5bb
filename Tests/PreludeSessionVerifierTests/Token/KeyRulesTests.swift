import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionRSA
import SessionTokens
import Testing

/// RFC 8725 §3.8, §3.10 and §3.12: which keys count, and where they come from.
@Suite("Verifier: rules of keys")
struct KeyRulesTests {
    /// Made once, because a key takes a while.
    private static let hookKey = Result { try FixedRSAKeys.key(0) }

    /// A set as the service publishes it for an app with hooks: two kinds of keys side by side.
    private func backend(hookMembers: [String: String]) throws -> Backend {
        let backend = try Backend()
        let hook = try Self.hookKey.get()
        let entry = hook.publicKey.requiredMembers.merging(hookMembers) { $1 }.merging(["kid": hook.keyID]) { $1 }
        backend.source.publish(
            try TokenJSON.encode([
                "keys": [Backend.entry(backend.signer), .object(entry.mapValues(JSONValue.string))]
            ]))
        return backend
    }

    @Test("J11 (RFC 8725 §3.12): the key of hooks in the same set verifies no token, by RS256 or PS256")
    func hookKey() async throws {
        let backend = try backend(hookMembers: ["alg": "PS256", "use": "sig"])
        let key = try Self.hookKey.get()
        let rs256 = TokenDraft(signer: RS256SigningKey(key), claims: backend.token.claims)
        #expect(try await backend.verifier.refusal(of: rs256.compact()).reason == .unknownKey)
        let ps256 = rs256.with {
            $0.header["alg"] = "PS256"
            $0.tamper = { token in
                try JWSText.changing(token) { jws in
                    let input = JWSText.input(header: jws.header, payload: jws.payload)
                    jws.signature = try key.pssSignature(for: Data(input.utf8))
                }
            }
        }
        #expect(try await backend.verifier.refusal(of: ps256.compact()).reason == .unsupportedAlgorithm)
        #expect(try await backend.verifier.verify(backend.token.compact()).userID == "usr_1")
    }

    @Test("J11 (RFC 8725 §3.12): what keeps the key of hooks out is its alg in the set, and nothing else")
    func hookKeyAsAccessKey() async throws {
        let backend = try backend(hookMembers: ["alg": "RS256", "use": "sig"])
        let token = TokenDraft(signer: RS256SigningKey(try Self.hookKey.get()), claims: backend.token.claims)
        #expect(try await backend.verifier.verify(token.compact()).userID == "usr_1")
    }

    @Test("J7 (RFC 8725 §3.8): a token of another app of the service is refused, whatever names it has")
    func otherApp() async throws {
        let backend = try Backend()
        let other = PublishedKeys.otherDevice
        let theirs = TokenDraft(
            signer: other, issuer: "otherapp.session.example.com", audience: "otherapp", now: backend.clock.seconds)
        #expect(try await backend.verifier.refusal(of: theirs.compact()).reason == .unknownKey)
        let disguised = TokenDraft(
            signer: other, issuer: Backend.issuer, audience: Backend.audience, now: backend.clock.seconds)
        #expect(try await backend.verifier.refusal(of: disguised.compact()).reason == .unknownKey)
        // Even where one key signs for both apps.
        let shared = TokenDraft(
            signer: backend.signer, issuer: Backend.issuer, audience: "otherapp", now: backend.clock.seconds)
        #expect(try await backend.verifier.refusal(of: shared.compact()).reason == .wrongAudience)
    }

    @Test(
        "J9 (RFC 8725 §3.10): whatever names a key, only the configured set is fetched, and once",
        arguments: TokenMutation.all.filter { $0.rule.contains("§3.10") })
    func onlyTheSet(_ mutation: TokenMutation) async throws {
        let backend = try Backend()
        _ = try await backend.verifier.refusal(of: backend.token.with { try mutation.change(&$0) }.compact())
        _ = try await backend.verifier.verify(backend.token.compact())
        #expect(backend.source.fetches == 1)
    }

    @Test(
        "D1 (RFC 9449 §2): keys come over TLS, or from this machine",
        arguments: ["http://app.example.com", "http://10.0.0.7:8080", "ws://app.example.com"])
    func plainText(_ service: String) {
        let error = #expect(throws: VerifierConfigurationError.self) {
            try SessionVerifier(service: service, audience: "testapp")
        }
        #expect(error?.field == "service")
    }
}
