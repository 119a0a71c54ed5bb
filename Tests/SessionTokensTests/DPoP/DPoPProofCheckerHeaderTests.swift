import Foundation
import SessionTokens
import Testing

/// Header count, JWT format, type and algorithm (RFC 9449 §4.3 steps 1 to 5).
@Suite("DPoP proof: header and format")
struct DPoPProofCheckerHeaderTests {
    private let valid = RefreshProofDraft()

    @Test("The unchanged draft is accepted")
    func validDraft() throws {
        let proof = try valid.check()
        #expect(proof.key == valid.signer.publicJWK)
        #expect(proof.id == "e1j3V_bKic8-LAEB")
        #expect(proof.issuedAt == 1_562_262_618)
        #expect(proof.nonce == nil)
    }

    @Test("A request without a DPoP header is rejected as missing (RFC 9449 §4.3 step 1, D2)")
    func noHeader() {
        let checker = DPoPProofChecker(method: "POST", targets: [])
        #expect(throws: DPoPError.missing) { try checker.check(headers: []) }
    }

    @Test("Two valid DPoP headers are rejected (RFC 9449 §4.3 step 1, D2)")
    func twoHeaders() throws {
        let proof = try valid.compact()
        #expect(throws: DPoPError.moreThanOne) { try RefreshProofDraft.check(proof, proof) }
    }

    @Test("Two proofs joined in one header are rejected (RFC 9449 §4.3 step 1, D2)")
    func foldedHeaders() throws {
        let proof = try valid.compact()
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof + ", " + proof) }
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof + "," + proof) }
    }

    @Test(
        "A value that is not one compact JWT is rejected (RFC 9449 §4.3 step 2, D3)",
        arguments: ["", ".", "..", "DPoP", "a.b", "a.b.c", "a.b.c.d", "e30.e30.", " e30.e30.e30"]
    )
    func notAJWT(_ header: String) {
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(header) }
    }

    @Test("White space around the proof is rejected (RFC 9449 §4.3 step 2, D3)")
    func whiteSpace() throws {
        let proof = try valid.compact()
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(" " + proof) }
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof + "\n") }
    }

    @Test(
        "A header that is not a JSON object is rejected (RFC 9449 §4.3 step 2, D3)",
        arguments: ["[]", "\"x\"", "1", "{", ""])
    func headerIsNoObject(_ json: String) throws {
        let proof = try RefreshProofDraft.compact(header: Data(json.utf8), payload: TokenJSON.encode(valid.claims))
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof) }
    }

    @Test(
        "A payload that is not a JSON object is rejected (RFC 9449 §4.3 step 2, D3)",
        arguments: ["[]", "\"x\"", "1", "{", ""])
    func payloadIsNoObject(_ json: String) throws {
        let proof = try RefreshProofDraft.compact(header: TokenJSON.encode(valid.header), payload: Data(json.utf8))
        #expect(throws: DPoPError.malformed) { try RefreshProofDraft.check(proof) }
    }

    @Test("A proof without alg is rejected (RFC 9449 §4.3 step 3, D4)")
    func noAlgorithm() {
        let draft = valid.with { $0.header["alg"] = nil }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }

    @Test("A proof without jwk is rejected (RFC 9449 §4.3 step 3, D4)")
    func noKey() {
        let draft = valid.with { $0.header["jwk"] = nil }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }

    @Test("A proof without typ is rejected (RFC 9449 §4.3 step 3, D4)")
    func noType() {
        let draft = valid.with { $0.header["typ"] = nil }
        #expect(throws: DPoPError.wrongType) { try draft.check() }
    }

    @Test(
        "Every typ except dpop+jwt is rejected (RFC 9449 §4.3 step 4, D5, J10)",
        arguments: ["JWT", "at+jwt", "challenge+jwt", "dpop", "dpop+jwt ", "", "application/dpop+jwt"]
    )
    func wrongType(_ type: String) {
        let draft = valid.with { $0.header["typ"] = .string(type) }
        #expect(throws: DPoPError.wrongType) { try draft.check() }
    }

    @Test("The header typ is case-insensitive (RFC 9449 §4.3 step 4, RFC 7515 §4.1.9, D5)")
    func typeCase() throws {
        let draft = valid.with { $0.header["typ"] = "DPoP+JWT" }
        #expect(try draft.check().id == "e1j3V_bKic8-LAEB")
    }

    @Test(
        "The alg none, MACs and unsupported or misspelt algorithms are rejected (RFC 9449 §4.3 step 5, D6, J1, J2)",
        arguments: ["none", "None", "HS256", "RS256", "PS256", "ES384", "ES512", "ES256K", "es256", ""]
    )
    func unsupportedAlgorithm(_ algorithm: String) {
        let draft = valid.with { $0.header["alg"] = .string(algorithm) }
        #expect(throws: DPoPError.unsupportedAlgorithm) { try draft.check() }
    }

    @Test("A proof with EdDSA is rejected (RFC 9449 §4.3 step 5, D6)")
    func edDSA() {
        let draft = RefreshProofDraft(signer: RFCKey.rfc8037A1)
        #expect(throws: DPoPError.unsupportedAlgorithm) { try draft.check() }
    }

    @Test("A critical extension is rejected because none is supported (RFC 7515 §4.1.11)")
    func criticalExtension() {
        let draft = valid.with {
            $0.header["crit"] = .array(["b64"])
            $0.header["b64"] = .bool(true)
        }
        #expect(throws: DPoPError.malformed) { try draft.check() }
    }
}
