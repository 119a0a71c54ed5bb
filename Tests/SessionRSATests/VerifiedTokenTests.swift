import Crypto
import CryptoExtras
import Foundation
import SessionRSA
import SessionTokens
import Testing

/// RFC 7515 and RFC 7518 §3.3: one token that is accepted, and one change a test.
@Suite("RS256 tokens")
struct VerifiedTokenTests {
    private let one: Stranger, other: Stranger, keys: PublishedKeySet

    init() throws {
        one = try Stranger.one.get()
        other = try Stranger.other.get()
        keys = try PublishedKeySet([one.entry()])
    }

    private func expect(_ error: JWSError, for token: String, keys: PublishedKeySet? = nil) {
        #expect(throws: error) { try VerifiedToken(verifying: token, keys: keys ?? self.keys) }
    }

    @Test("A good token gives its payload, its kid and its typ")
    func accepted() throws {
        struct Claims: Decodable { let sub: String }
        let plain = try VerifiedToken(verifying: one.token(), keys: keys)
        #expect(plain.payload == Data(#"{"sub":"usr_1"}"#.utf8))
        #expect(plain.keyID == "k1")
        #expect(plain.type == nil)
        #expect(try plain.claims(as: Claims.self).sub == "usr_1")
        let typed = try one.token(header: #"{"typ":"JWT","alg":"RS256","kid":"k1"}"#)
        #expect(try VerifiedToken(verifying: typed, keys: keys).type == "JWT")
    }

    @Test("RFC 7515 appendix A.2: the printed signature verifies with the printed key, once a set names that key")
    func appendixA2() throws {
        let signature = try #require(Base64URL.decode(AppendixA2.signature))
        let key = try RSAPublicKey(
            modulus: #require(Base64URL.decode(AppendixA2.modulus)), exponent: #require(Base64URL.decode("AQAB")))
        let input = Data(AppendixA2.signingInput.utf8)
        #expect(key.isValidRS256(signature, for: input))
        #expect(!key.isValidRS256(signature, for: input + Data([0x20])))
        let set = try PublishedKeySet([
            .object(["kty": "RSA", "e": "AQAB", "kid": "a2", "n": .string(AppendixA2.modulus)])
        ])
        // Its header has no kid, and there is no default key.
        expect(.malformed, for: AppendixA2.signingInput + "." + AppendixA2.signature, keys: set)
    }

    @Test(
        "Any other algorithm is refused, whatever signed it",
        arguments: [
            "none", "HS256", "PS256", "ES256", "EdDSA", "RS384", "RS512", "RS1", "rs256", "RS256 ", "",
        ])
    func algorithm(_ name: String) throws {
        expect(.unsupportedAlgorithm, for: try one.token(header: #"{"alg":"\#(name)","kid":"k1"}"#))
    }

    @Test("A MAC with the public key as its secret is refused (RFC 8725 §2.1)")
    func confusedMAC() throws {
        let secret = try #require(one.members["n"]?.stringValue.flatMap { Base64URL.decode($0) })
        for algorithm in ["HS256", "RS256"] {
            let input = Base64URL.encode(Data(#"{"alg":"\#(algorithm)","kid":"k1"}"#.utf8)) + ".e30"
            let mac = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
            let expected = algorithm == "RS256" ? JWSError.invalidSignature : .unsupportedAlgorithm
            expect(expected, for: input + "." + Base64URL.encode(mac))
        }
    }

    @Test("A PSS signature does not pass for RS256")
    func otherPadding() throws {
        let token = try one.token()
        let input = token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = try one.signature(input, padding: .PSS)
        expect(.invalidSignature, for: input + "." + Base64URL.encode(signature))
    }

    @Test("An unknown kid is told apart from everything else, so that the set can be fetched again")
    func unknownKey() throws {
        expect(.unknownKey, for: try one.token(header: #"{"alg":"RS256","kid":"k2"}"#))
        expect(.unknownKey, for: try one.token(), keys: try PublishedKeySet([]))
    }

    @Test(
        "Without a kid the set's only key is not tried",
        arguments: [
            #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":null}"#, #"{"alg":"RS256","kid":1}"#, #"{"kid":"k1"}"#, "[]",
            "",
        ])
    func header(_ text: String) throws {
        expect(.malformed, for: try one.token(header: text))
    }

    @Test("Another key under the same kid does not verify")
    func otherKey() throws {
        expect(.invalidSignature, for: try other.token())
    }

    @Test("A key in the header, or an address of one, changes nothing")
    func keyInHeader() throws {
        let jwk = String(decoding: try TokenJSON.encode(other.entry()), as: UTF8.self)
        let header = #"{"alg":"RS256","kid":"k1","jku":"https://evil.example/","jwk":\#(jwk)}"#
        expect(.invalidSignature, for: try other.token(header: header))
        #expect(throws: Never.self) { try VerifiedToken(verifying: one.token(header: header), keys: keys) }
    }

    @Test("One bit in header, payload or signature makes the token another", arguments: 0..<3)
    func tampered(_ index: Int) throws {
        var parts = try one.token().split(separator: ".").map(String.init)
        var bytes = try #require(Base64URL.decode(parts[index]))
        // The last letter of "k1" in the header; in the others, any byte will do.
        let position = index == 0 ? bytes.count - 3 : bytes.count / 2
        bytes[position] ^= 0x01
        parts[index] = Base64URL.encode(bytes)
        expect(index == 0 ? .unknownKey : .invalidSignature, for: parts.joined(separator: "."))
    }

    @Test("A signature that is cut, longer, or missing is refused")
    func signatureLength() throws {
        let token = try one.token()
        let input = token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = try #require(Base64URL.decode(token.split(separator: ".")[2]))
        for wrong in [signature.dropLast(), signature + Data([0]), Data([0]) + signature, Data()] {
            expect(.invalidSignature, for: input + "." + Base64URL.encode(wrong))
        }
    }

    @Test(
        "crit is refused under a good signature, even when it is empty or null", arguments: [#"["exp"]"#, "[]", "null"])
    func crit(_ value: String) throws {
        expect(.criticalExtension, for: try one.token(header: #"{"alg":"RS256","kid":"k1","crit":\#(value)}"#))
    }

    @Test(
        "A header member that appears twice is refused",
        arguments: [
            #"{"alg":"RS256","alg":"none","kid":"k1"}"#, #"{"alg":"none","alg":"RS256","kid":"k1"}"#,
            #"{"alg":"RS256","kid":"k1","kid":"k1"}"#, #"{"alg":"RS256","\u0061lg":"RS256","kid":"k1"}"#,
        ])
    func duplicateMembers(_ text: String) throws {
        expect(.malformed, for: try one.token(header: text))
    }

    @Test("Parts that are missing, too many, or not canonical base64url are refused")
    func shape() throws {
        let token = try one.token()
        for wrong in ["", "a.b", token + ".", token + ".a", "." + token, token + "=", " " + token, token + "\n"] {
            expect(.malformed, for: wrong)
        }
    }

    @Test("A token beyond 8192 bytes is not looked at")
    func tooLong() throws {
        let claims = #"{"sub":"\#(String(repeating: "x", count: CompactParts.maximumLength))"}"#
        expect(.malformed, for: try one.token(payload: claims))
    }

    @Test("Claims are read strictly: a member that appears twice has no reading")
    func claims() throws {
        let token = try VerifiedToken(verifying: one.token(payload: #"{"sub":"a","sub":"b"}"#), keys: keys)
        #expect(throws: JWSError.invalidClaims) { try token.claims(as: [String: String].self) }
    }
}

/// What RFC 7515 appendix A.2 prints.
private enum AppendixA2 {
    static let signingInput =
        "eyJhbGciOiJSUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-"
        + "pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2C"
        + "apHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9g"
        + "b54h4FRWyuXpoQ"
    static let signature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr"
        + "7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--"
        + "xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_I"
        + "oypGlUPQGe77Rw"
}
