import SessionTokens
import Testing

@Suite("DPoP proof: a key that is already known")
struct KnownProofKeyTests {
    private let valid = RefreshProofDraft()

    private func check(_ draft: RefreshProofDraft, known: PublicJWK) throws -> CheckedProof {
        let target = try #require(TargetURI(RefreshProofDraft.url))
        return try DPoPProofChecker(method: RefreshProofDraft.method, targets: [target], knownKey: known)
            .check(headers: [draft.compact()])
    }

    @Test("A proof of the known key and a proof of another key are valid, each with its own key")
    func keys() throws {
        let known = valid.signer.publicJWK
        #expect(try check(valid, known: known).key == known)
        let other = SigningKey.generate(.es256)
        #expect(try check(RefreshProofDraft(signer: other), known: known).key == other.publicJWK)
        #expect(try check(valid, known: other.publicJWK).key == known)
        #expect(try check(valid, known: SigningKey.generate(.edDSA).publicJWK).key == known)
    }

    @Test("A signature by another key than the one in the header is invalid (RFC 9449 §4.3 step 6)")
    func signature() {
        let draft = valid.with { $0.signer = SigningKey.generate(.es256) }
        #expect(throws: DPoPError.invalidSignature) { try check(draft, known: valid.signer.publicJWK) }
    }

    @Test(
        "A changed member of the known key is rejected (RFC 9449 §4.3 step 7)",
        arguments: ["d", "k", "kty", "crv", "x", "y"])
    func member(_ name: String) throws {
        let known = valid.signer.publicJWK
        var members = known.requiredMembers.mapValues(JSONValue.string)
        members[name] = "AQ"
        #expect(throws: DPoPError.invalidKey) {
            try check(valid.with { $0.header["jwk"] = .object(members) }, known: known)
        }
    }
}
