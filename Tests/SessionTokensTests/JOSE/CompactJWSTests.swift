import Foundation
import SessionTokens
import Testing

/// RFC 7515 §7.1, its appendices, and RFC 8037's signature.
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

    @Test("RFC 7515 appendix A.3: the printed ES256 signature verifies with the printed key")
    func appendixA3() throws {
        let jws = try CompactJWS(parsing: Self.a3)
        try jws.verify(with: RFCKey.rfc7515A3.publicJWK)
        let payload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
        #expect(jws.payload == Data(payload.utf8))
        #expect(jws.algorithm == .es256)
    }

    @Test("RFC 8037 appendices A.4 and A.5: our Ed25519 signature is the printed one, and it verifies")
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

    @Test("J2: RFC 7515 appendix A.1 (HS256) and A.5 (none) are refused before any key is asked")
    func macAndNone() {
        let mac = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.joe).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(throws: JWSError.unsupportedAlgorithm) { try CompactJWS(parsing: mac) }
        #expect(throws: JWSError.unsupportedAlgorithm) { try CompactJWS(parsing: "eyJhbGciOiJub25lIn0.\(Self.joe).") }
    }

    @Test("RFC 7515 appendix E: the printed header with a critical extension is refused")
    func appendixE() {
        let printed =
            "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvb"
            + "S9VTkRFRklORUQiOnRydWUNCn0.RkFJTA."
        #expect(throws: JWSError.criticalExtension) { try CompactJWS(parsing: printed) }
    }

    @Test("crit is refused under a good signature too, the empty list included", arguments: [#"["exp"]"#, "[]"])
    func crit(_ list: String) throws {
        let token = try with(header: #"{"alg":"ES256","crit":\#(list)}"#)
        #expect(throws: JWSError.criticalExtension) { try CompactJWS(parsing: token) }
    }

    @Test("J1: each algorithm needs its own kind of key, in both directions")
    func keyOfAnotherAlgorithm() throws {
        let es256 = try CompactJWS(parsing: Self.a3)
        #expect(throws: JWSError.unsupportedAlgorithm) { try es256.verify(with: RFCKey.rfc8037A1.publicJWK) }
        let edDSA = try CompactJWS(parsing: with(header: #"{"alg":"EdDSA"}"#, signer: RFCKey.rfc8037A1))
        #expect(throws: JWSError.unsupportedAlgorithm) { try edDSA.verify(with: RFCKey.rfc7515A3.publicJWK) }
    }

    @Test("J3: another key of the same kind does not verify")
    func otherKey() throws {
        let jws = try CompactJWS(parsing: Self.a3)
        #expect(throws: JWSError.invalidSignature) { try jws.verify(with: RFCKey.rfc7517A2.publicJWK) }
    }

    @Test("Two, four and five parts are refused (five would be a JWE)")
    func numberOfParts() {
        let parts = Self.a3.split(separator: ".").map(String.init)
        for refused in [
            [], [parts[0]], Array(parts.dropLast()), parts + [""], [""] + parts, parts + ["a"], parts + ["a", "b"],
        ] {
            #expect(throws: JWSError.malformed) { try CompactJWS(parsing: refused.joined(separator: ".")) }
        }
    }

    @Test("A part that is not canonical base64url is refused, each of the three", arguments: 0..<3)
    func nonCanonicalPart(_ index: Int) throws {
        for suffix in ["=", "\n", " ", "+", "é"] {
            var parts = Self.a3.split(separator: ".").map(String.init)
            parts[index] += suffix
            #expect(throws: JWSError.malformed) { try CompactJWS(parsing: parts.joined(separator: ".")) }
        }
    }

    @Test("Stray trailing bits of the signature are refused: a token has one spelling")
    func trailingBits() {
        #expect(Self.a3.hasSuffix("Q"))
        #expect(throws: JWSError.malformed) { try CompactJWS(parsing: Self.a3.dropLast() + "R") }
    }

    @Test("A token of 8192 bytes is looked at, a longer one is not")
    func oversized() throws {
        let token = try with(header: #"{"alg":"ES256"}"#, payload: String(repeating: "x", count: 6063))
        #expect(token.utf8.count == CompactParts.maximumLength)
        try CompactJWS(parsing: token).verify(with: RFCKey.rfc7515A3.publicJWK)
        let longer = try with(header: #"{"alg":"ES256"}"#, payload: String(repeating: "x", count: 6064))
        #expect(longer.utf8.count > CompactParts.maximumLength)
        #expect(throws: JWSError.malformed) { try CompactJWS(parsing: longer) }
    }

    @Test("alg named twice is refused, so nobody reads another algorithm than we do (RFC 7515 §4)")
    func algorithmTwice() throws {
        for header in [#"{"alg":"ES256","alg":"none"}"#, #"{"alg":"none","alg":"ES256"}"#] {
            let token = try with(header: header)
            #expect(throws: JWSError.malformed) { try CompactJWS(parsing: token) }
        }
    }
}
