import Foundation
import SessionTokens
import Testing

/// Compact JWS with the examples of RFC 7515 and RFC 8037.
@Suite("Compact JWS")
struct CompactJWSTests {
    private static let joe =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let a3 =
        "eyJhbGciOiJFUzI1NiJ9.\(joe)"
        + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    private func with(header: String, payload: String = "{}", signer: SigningKey = RFCKey.rfc7515A3) throws
        -> String
    {
        try RefreshProofDraft.compact(header: Data(header.utf8), payload: Data(payload.utf8), signer: signer)
    }

    @Test("The printed ES256 signature is valid for the printed key (RFC 7515 appendix A.3)")
    func appendixA3() throws {
        let jws = try CompactJWS(parsing: Self.a3)
        try jws.verify(with: RFCKey.rfc7515A3.publicJWK)
        let payload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
        #expect(jws.payload == Data(payload.utf8))
        #expect(jws.algorithm == .es256)
    }

    @Test("The printed Ed25519 signature is valid for the printed key (RFC 8037 appendices A.4 and A.5)")
    func rfc8037() throws {
        let signed =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
            + ".hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let jws = try CompactJWS(parsing: signed)
        try jws.verify(with: RFCKey.rfc8037A1.publicJWK)
        #expect(jws.payload == Data("Example of Ed25519 signing".utf8))
        let key = RFCKey.rfc8037A1.publicJWK
        #expect(key.requiredMembers["x"] == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    }

    @Test("The HS256 and none examples of RFC 7515 are rejected without a key (RFC 7515 appendices A.1 and A.5, J2)")
    func macAndNone() {
        let mac = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.joe).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(throws: JWSError.unsupportedAlgorithm) { try CompactJWS(parsing: mac) }
        #expect(throws: JWSError.unsupportedAlgorithm) { try CompactJWS(parsing: "eyJhbGciOiJub25lIn0.\(Self.joe).") }
    }

    @Test("The printed header with a critical extension is rejected (RFC 7515 appendix E)")
    func appendixE() {
        let printed =
            "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvb"
            + "S9VTkRFRklORUQiOnRydWUNCn0.RkFJTA."
        #expect(throws: JWSError.criticalExtension) { try CompactJWS(parsing: printed) }
    }

    @Test("The header crit is rejected even with a valid signature or an empty list", arguments: [#"["exp"]"#, "[]"])
    func crit(_ list: String) throws {
        let token = try with(header: #"{"alg":"ES256","crit":\#(list)}"#)
        #expect(throws: JWSError.criticalExtension) { try CompactJWS(parsing: token) }
    }

    @Test("Each algorithm accepts only its own type of key (RFC 8725 §3.1, J1)")
    func keyOfAnotherAlgorithm() throws {
        let es256 = try CompactJWS(parsing: Self.a3)
        #expect(throws: JWSError.unsupportedAlgorithm) { try es256.verify(with: RFCKey.rfc8037A1.publicJWK) }
        let edDSA = try CompactJWS(parsing: with(header: #"{"alg":"EdDSA"}"#, signer: RFCKey.rfc8037A1))
        #expect(throws: JWSError.unsupportedAlgorithm) { try edDSA.verify(with: RFCKey.rfc7515A3.publicJWK) }
    }

    @Test("Another key of the same type rejects the signature (RFC 8725 §3.3, J3)")
    func otherKey() throws {
        let jws = try CompactJWS(parsing: Self.a3)
        #expect(throws: JWSError.invalidSignature) { try jws.verify(with: RFCKey.rfc7517A2.publicJWK) }
    }

    @Test("A text without exactly three parts is rejected")
    func numberOfParts() {
        let parts = Self.a3.split(separator: ".").map(String.init)
        for invalid in [
            [], [parts[0]], Array(parts.dropLast()), parts + [""], [""] + parts, parts + ["a"], parts + ["a", "b"],
        ] {
            #expect(throws: JWSError.malformed) { try CompactJWS(parsing: invalid.joined(separator: ".")) }
        }
    }

    @Test("Each part must be canonical base64url", arguments: 0..<3)
    func nonCanonicalPart(_ index: Int) throws {
        for suffix in ["=", "\n", " ", "+", "é"] {
            var parts = Self.a3.split(separator: ".").map(String.init)
            parts[index] += suffix
            #expect(throws: JWSError.malformed) { try CompactJWS(parsing: parts.joined(separator: ".")) }
        }
    }

    @Test("A signature with unused trailing bits set is rejected")
    func trailingBits() {
        #expect(Self.a3.hasSuffix("Q"))
        #expect(throws: JWSError.malformed) { try CompactJWS(parsing: Self.a3.dropLast() + "R") }
    }

    @Test("A token of 8192 bytes is accepted and a longer one is rejected")
    func oversized() throws {
        let token = try with(header: #"{"alg":"ES256"}"#, payload: String(repeating: "x", count: 6063))
        #expect(token.utf8.count == CompactParts.maximumLength)
        try CompactJWS(parsing: token).verify(with: RFCKey.rfc7515A3.publicJWK)
        let longer = try with(header: #"{"alg":"ES256"}"#, payload: String(repeating: "x", count: 6064))
        #expect(longer.utf8.count > CompactParts.maximumLength)
        #expect(throws: JWSError.malformed) { try CompactJWS(parsing: longer) }
    }

    @Test("A header with two alg members is rejected (RFC 7515 §4)")
    func algorithmTwice() throws {
        for header in [#"{"alg":"ES256","alg":"none"}"#, #"{"alg":"none","alg":"ES256"}"#] {
            let token = try with(header: header)
            #expect(throws: JWSError.malformed) { try CompactJWS(parsing: token) }
        }
    }
}
