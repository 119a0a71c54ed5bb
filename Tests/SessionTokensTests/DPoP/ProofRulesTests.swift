import SessionConformance
import SessionTokens
import Testing

/// The rules of RFC 9449 §4.3. The names of the mutations contain the sections.
@Suite("DPoP proof: rules")
struct ProofRulesTests {
    private static let url = "https://api.example.com/v1/orders"

    private func check(_ draft: ProofDraft) throws -> CheckedProof {
        try DPoPProofChecker(method: "GET", targets: [TargetURI(Self.url)].compactMap { $0 }, accessToken: "token")
            .check(headers: draft.headers())
    }

    private let valid = ProofDraft(
        method: "GET", url: url, accessToken: "token", issuedAt: 1_750_000_000)

    // Proves: P6
    @Test(
        "The checker rejects an invalid proof with the failed step",
        arguments: ProofMutation.all + ProofMutation.withAccessToken)
    func rejected(_ mutation: ProofMutation) throws {
        #expect(try check(valid).thumbprint == PublishedKeys.device.keyID)
        let changed = try valid.with { try mutation.change(&$0) }
        #expect(throws: mutation.expected) { try check(changed) }
    }

    // Proves: P6
    @Test("The checker accepts every valid form of a proof", arguments: ProofVariant.all)
    func accepted(_ variant: ProofVariant) throws {
        #expect(try check(valid.with { try variant.change(&$0) }).thumbprint == PublishedKeys.device.keyID)
    }

    @Test("Names of mutations and variants are unique and end with their RFC section")
    func names() {
        let kinds = [
            (ProofMutation.all + ProofMutation.withAccessToken).map(\.rule), TokenMutation.all.map(\.rule),
            ProofVariant.all.map(\.rule),
        ]
        for names in kinds {
            #expect(Set(names).count == names.count)
            #expect(names.allSatisfy { $0.contains(" (RFC ") && $0.contains("§") && $0.hasSuffix(")") })
        }
    }

    @Test(
        "A request target that is not a path is rejected (RFC 9112 §3.2)",
        arguments: ["", "*", ".evil.example/", "@evil.example/", ":8443/", "https://evil.example/"])
    func noPath(_ path: String) {
        #expect(TargetURI(origin: "https://api.example.com", path: path) == nil)
    }
}
