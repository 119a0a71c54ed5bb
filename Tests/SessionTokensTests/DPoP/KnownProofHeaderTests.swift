import SessionTokens
import Testing

@Suite("DPoP proof: a header that is already known")
struct KnownProofHeaderTests {
    private let valid = RefreshProofDraft()

    private func known() throws -> KnownProofHeader { try #require(try valid.check().newHeader) }

    private func check(_ proof: String, accessToken: String? = nil) throws -> CheckedProof {
        let target = try #require(TargetURI(RefreshProofDraft.url))
        return try DPoPProofChecker(
            method: RefreshProofDraft.method, targets: [target], accessToken: accessToken, known: known()
        ).check(headers: [proof])
    }

    private func check(_ draft: RefreshProofDraft) throws -> CheckedProof { try check(draft.compact()) }

    @Test("The header of a valid proof is worth to be known, and is not new in the next one")
    func found() throws {
        let header = try known()
        #expect(header.key == valid.signer.publicJWK)
        #expect(try valid.compact().hasPrefix(header.encoded + "."))
        let next = try check(valid.with { $0.claims["jti"] = "another-id" })
        #expect(next.key == header.key && next.newHeader == nil && next.id == "another-id")
    }

    @Test("A proof of another key is valid, with its own key")
    func otherKey() throws {
        let other = SigningKey.generate(.es256)
        #expect(try check(RefreshProofDraft(signer: other)).newHeader?.key == other.publicJWK)
    }

    @Test("A signature by another key than the one in the header is invalid (RFC 9449 §4.3 step 6)")
    func signature() {
        #expect(throws: DPoPError.invalidSignature) {
            try check(valid.with { $0.signer = SigningKey.generate(.es256) })
        }
    }

    @Test("The other steps are the same as for an unknown header")
    func otherSteps() throws {
        #expect(throws: DPoPError.wrongMethod) { try check(valid.with { $0.claims["htm"] = "GET" }) }
        #expect(throws: DPoPError.wrongTarget) { try check(valid.with { $0.claims["htu"] = "https://other.example" }) }
        #expect(throws: DPoPError.malformed) { try check(valid.with { $0.claims["jti"] = nil }) }
        #expect(throws: DPoPError.wrongAccessToken) { try check(valid.compact(), accessToken: "token") }
    }

    @Test("A text that only begins with the header is malformed")
    func otherTexts() throws {
        let (header, proof) = (try known().encoded, try valid.compact())
        let oversized = "." + String(repeating: "A", count: CompactParts.maximumLength)
        for text in [
            header, header + ".", header + ".e30", header + "A" + proof.dropFirst(header.count), proof + ".",
            header + oversized,
        ] {
            #expect(throws: DPoPError.malformed, "\(text.prefix(80))") { try check(text) }
        }
    }

    @Test("A header with one changed character is read", arguments: ["typ", "alg", "jwk", "crit"])
    func changed(_ member: String) throws {
        let draft = valid.with { $0.header[member] = member == "crit" ? JSONValue.array(["exp"]) : "other" }
        #expect(throws: DPoPError.self) { try check(draft) }
    }

    @Test("A header is kept only up to its maximum length")
    func length() throws {
        let long = valid.with { $0.header["kid"] = .string(String(repeating: "k", count: 400)) }
        #expect(try long.check().newHeader == nil)
        let text = String(repeating: "a", count: EncodedHeader.maximumLength)
        #expect(EncodedHeader.text(of: text + ".") == text)
        #expect(EncodedHeader.text(of: text + "a.") == nil)
    }
}
