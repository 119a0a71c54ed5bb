import PreludeSessionVerifier
import SessionConformance
import SessionRSA
import SessionTokens
import Testing

/// Which keys are used and where they come from (RFC 8725 §3.8, §3.10 and §3.12).
@Suite("Verifier: key rules")
struct KeyRulesTests {
    private static let hookKey = Result { try FixedRSAKeys.key(0) }

    /// A backend whose key set contains the keys of access tokens and of hooks.
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

    @Test("The hook key in the same set verifies no access token with RS256 or PS256 (RFC 8725 §3.12, J11)")
    func hookKey() async throws {
        let backend = try backend(hookMembers: ["alg": "PS256", "use": "sig"])
        let key = try Self.hookKey.get()
        let rs256 = TokenDraft(signer: RS256SigningKey(key), claims: backend.token.claims)
        #expect(try await backend.verifier.rejection(of: rs256.compact()).reason == .unknownKey)
        let ps256 = rs256.signedWithPS256(by: key)
        #expect(try await backend.verifier.rejection(of: ps256.compact()).reason == .unsupportedAlgorithm)
        #expect(try await backend.verifier.verify(backend.token.compact()).userID == "usr_1")
    }

    @Test("The hook key is excluded by its alg in the set (RFC 8725 §3.12, J11)")
    func hookKeyAsAccessKey() async throws {
        let backend = try backend(hookMembers: ["alg": "RS256", "use": "sig"])
        let token = TokenDraft(signer: RS256SigningKey(try Self.hookKey.get()), claims: backend.token.claims)
        #expect(try await backend.verifier.verify(token.compact()).userID == "usr_1")
    }

    @Test("A token of another app of the service is rejected whatever its issuer and audience are (RFC 8725 §3.8, J7)")
    func otherApp() async throws {
        let backend = try Backend()
        let other = PublishedKeys.otherDevice
        let theirs = TokenDraft(
            signer: other, issuer: "otherapp.session.example.com", audience: "otherapp", now: backend.clock.seconds)
        #expect(try await backend.verifier.rejection(of: theirs.compact()).reason == .unknownKey)
        let disguised = TokenDraft(
            signer: other, issuer: Backend.issuer, audience: Backend.audience, now: backend.clock.seconds)
        #expect(try await backend.verifier.rejection(of: disguised.compact()).reason == .unknownKey)
        // One key signs for both apps.
        let shared = TokenDraft(
            signer: backend.signer, issuer: Backend.issuer, audience: "otherapp", now: backend.clock.seconds)
        #expect(try await backend.verifier.rejection(of: shared.compact()).reason == .wrongAudience)
    }

    @Test(
        "Only the configured key set is fetched, whatever key a token names (RFC 8725 §3.10, J9)",
        arguments: TokenMutation.all.filter { $0.rule.contains("§3.10") })
    func onlyTheSet(_ mutation: TokenMutation) async throws {
        let backend = try Backend()
        _ = try await backend.verifier.rejection(of: backend.token.with { try mutation.change(&$0) }.compact())
        _ = try await backend.verifier.verify(backend.token.compact())
        #expect(backend.source.fetches == 1)
    }

    @Test(
        "Keys are fetched over TLS or from loopback only (RFC 9449 §2, D1)",
        arguments: ["http://app.example.com", "http://10.0.0.7:8080", "ws://app.example.com"])
    func plainText(_ service: String) {
        let error = #expect(throws: VerifierConfigurationError.self) {
            try SessionVerifier(service: service, audience: "testapp")
        }
        #expect(error?.field == "service")
    }
}
