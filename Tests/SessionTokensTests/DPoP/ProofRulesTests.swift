import SessionConformance
import SessionTokens
import Testing

/// RFC 9449 §4.3, rule by rule: the rules are in the names of the mutations.
@Suite("DPoP proof: rules")
struct ProofRulesTests {
    private static let url = "https://api.example.com/v1/orders"

    private func check(_ draft: ProofDraft) throws -> CheckedProof {
        try DPoPProofChecker(method: "GET", targets: [TargetURI(Self.url)].compactMap { $0 }, accessToken: "token")
            .check(headers: draft.headers())
    }

    private let valid = ProofDraft(
        method: "GET", url: url, accessToken: "token", issuedAt: 1_750_000_000)

    @Test(
        "A proof that breaks one rule is refused, and the checker says by which step",
        arguments: ProofMutation.all + ProofMutation.withAccessToken)
    func refused(_ mutation: ProofMutation) throws {
        #expect(try check(valid).thumbprint == PublishedKeys.device.keyID)
        let changed = try valid.with { try mutation.change(&$0) }
        #expect(throws: mutation.expected) { try check(changed) }
    }

    @Test("A proof that is valid in another form is good", arguments: ProofVariant.all)
    func accepted(_ variant: ProofVariant) throws {
        #expect(try check(valid.with { try variant.change(&$0) }).thumbprint == PublishedKeys.device.keyID)
    }

    @Test("No two mutations or variants have one name")
    func names() {
        let kinds = [
            (ProofMutation.all + ProofMutation.withAccessToken).map(\.rule), TokenMutation.all.map(\.rule),
            ProofVariant.all.map(\.rule),
        ]
        for names in kinds {
            #expect(Set(names).count == names.count)
            #expect(names.allSatisfy { $0.hasPrefix("RFC ") && $0.contains("§") })
        }
    }

    @Test(
        "RFC 9112 §3.2: a request target that is no path is none",
        arguments: ["", "*", ".evil.example/", "@evil.example/", ":8443/", "https://evil.example/"])
    func noPath(_ path: String) {
        #expect(TargetURI(origin: "https://api.example.com", path: path) == nil)
    }
}
