import Foundation
import SessionTokens
import Testing

/// RFC 9449 §4.3 steps 1–5: one header, one JWT, all its parts, its type, its algorithm.
@Suite("DPoP proof: header and form")
struct DPoPProofCheckerHeaderTests {
    private let valid = RefreshProofDraft()

    @Test("The untouched draft is accepted, so every refusal below has one cause")
    func validDraft() throws {
        let proof = try valid.check()
        #expect(proof.key == valid.signer.publicJWK)
        #expect(proof.id == "e1j3V_bKic8-LAEB")
        #expect(proof.issuedAt == 1_562_262_618)
        #expect(proof.nonce == nil)
    }

    @Test("D2 (§4.3 step 1): no DPoP header is its own failure")
    func noHeader() {
        let checker = DPoPProofChecker(method: "POST", targets: [])
        #expect(throws: DPoPError.missing) { try checker.check(headers: []) }
    }

    @Test("D2 (§4.3 step 1): two DPoP headers are refused, even when both are valid")
    func twoHeaders() throws {
        let proof = try valid.compact()
        #expect(throws: DPoPError.moreThanOne) { try RefreshProofDraft.check(proof, proof) }
    }

    @Test("D2 (§4.3 step 1): two proofs folded into one header are refused")
    func foldedHeaders() throws {
        let proof = try valid.compact()
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof + ", " + proof) }
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof + "," + proof) }
    }

    @Test(
        "D3 (§4.3 step 2): a value that is not one compact JWT is refused",
        arguments: ["", ".", "..", "DPoP", "a.b", "a.b.c", "a.b.c.d", "e30.e30.", " e30.e30.e30"]
    )
    func notAJWT(_ header: String) {
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(header) }
    }

    @Test("D3 (§4.3 step 2): white space around the proof is refused")
    func whiteSpace() throws {
        let proof = try valid.compact()
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(" " + proof) }
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof + "\n") }
    }

    @Test("D3 (§4.3 step 2): a header that is no JSON object is refused", arguments: ["[]", "\"x\"", "1", "{", ""])
    func headerIsNoObject(_ json: String) throws {
        let proof = try RefreshProofDraft.compact(header: Data(json.utf8), payload: TokenJSON.encode(valid.claims))
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof) }
    }

    @Test("D3 (§4.3 step 2): a payload that is no JSON object is refused", arguments: ["[]", "\"x\"", "1", "{", ""])
    func payloadIsNoObject(_ json: String) throws {
        let proof = try RefreshProofDraft.compact(header: TokenJSON.encode(valid.header), payload: Data(json.utf8))
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof) }
    }

    @Test("D4 (§4.3 step 3): a proof without alg is refused")
    func noAlgorithm() {
        let draft = valid.with { $0.header["alg"] = nil }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }

    @Test("D4 (§4.3 step 3): a proof without jwk is refused")
    func noKey() {
        let draft = valid.with { $0.header["jwk"] = nil }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }

    @Test("D4 (§4.3 step 3): a proof without typ is refused")
    func noType() {
        let draft = valid.with { $0.header["typ"] = nil }
        #expect(throws: DPoPError.wrongType) { try draft.check() }
    }

    @Test(
        "D5, J10 (§4.3 step 4): any typ but dpop+jwt is refused",
        arguments: ["JWT", "at+jwt", "challenge+jwt", "dpop", "dpop+jwt ", "", "application/dpop+jwt"]
    )
    func wrongType(_ type: String) {
        let draft = valid.with { $0.header["typ"] = .string(type) }
        #expect(throws: DPoPError.wrongType) { try draft.check() }
    }

    @Test("D5 (§4.3 step 4): typ is compared without regard to case, as media types are (RFC 7515 §4.1.9)")
    func typeCase() throws {
        let draft = valid.with { $0.header["typ"] = "DPoP+JWT" }
        #expect(try draft.check().id == "e1j3V_bKic8-LAEB")
    }

    @Test(
        "D6, J1, J2 (§4.3 step 5): alg none, MACs, unsupported and misspelt algorithms are refused",
        arguments: ["none", "None", "HS256", "RS256", "PS256", "ES384", "ES512", "ES256K", "es256", ""]
    )
    func unsupportedAlgorithm(_ algorithm: String) {
        let draft = valid.with { $0.header["alg"] = .string(algorithm) }
        #expect(throws: DPoPError.unsupportedAlgorithm) { try draft.check() }
    }

    @Test("D6 (§4.3 step 5): EdDSA signs our access tokens, but no proof")
    func edDSA() {
        let draft = RefreshProofDraft(signer: RFCKey.rfc8037A1)
        #expect(throws: DPoPError.unsupportedAlgorithm) { try draft.check() }
    }

    @Test("A critical extension is refused, since we know none (RFC 7515 §4.1.11)")
    func criticalExtension() {
        let draft = valid.with {
            $0.header["crit"] = .array(["b64"])
            $0.header["b64"] = .bool(true)
        }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }
}
