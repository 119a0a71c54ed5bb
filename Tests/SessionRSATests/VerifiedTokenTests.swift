import Crypto
import CryptoExtras
import Foundation
import SessionRSA
import SessionTokens
import Testing

/// RFC 7515 and RFC 7518 §3.3: one valid token, and one change per test.
@Suite("RS256 tokens")
struct VerifiedTokenTests {
    private let one: ExternalBackend, other: ExternalBackend, keys: PublishedKeySet

    init() throws {
        one = try ExternalBackend.one.get()
        other = try ExternalBackend.other.get()
        keys = try PublishedKeySet([one.entry()])
    }

    private func expect(_ error: JWSError, for token: String, keys: PublishedKeySet? = nil) {
        #expect(throws: error) { try VerifiedToken(verifying: token, keys: keys ?? self.keys) }
    }

    @Test("A valid token returns its payload, kid and typ")
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

    @Test("The signature printed in the RFC verifies with the printed key (RFC 7515 appendix A.2)")
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
        // The header contains no kid, and a set has no default key.
        expect(.malformed, for: AppendixA2.signingInput + "." + AppendixA2.signature, keys: set)
    }

    @Test(
        "Any other alg is rejected, whatever key signed the token",
        arguments: [
            "none", "HS256", "PS256", "ES256", "EdDSA", "RS384", "RS512", "RS1", "rs256", "RS256 ", "",
        ])
    func algorithm(_ name: String) throws {
        expect(.unsupportedAlgorithm, for: try one.token(header: #"{"alg":"\#(name)","kid":"k1"}"#))
    }

    @Test("A MAC with the public key as its secret is rejected (RFC 8725 §2.1)")
    func confusedMAC() throws {
        let secret = try #require(one.members["n"]?.stringValue.flatMap { Base64URL.decode($0) })
        for algorithm in ["HS256", "RS256"] {
            let input = Base64URL.encode(Data(#"{"alg":"\#(algorithm)","kid":"k1"}"#.utf8)) + ".e30"
            let mac = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
            let expected = algorithm == "RS256" ? JWSError.invalidSignature : .unsupportedAlgorithm
            expect(expected, for: input + "." + Base64URL.encode(mac))
        }
    }

    @Test("A PSS signature is not a valid RS256 signature")
    func otherPadding() throws {
        let token = try one.token()
        let input = token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = try one.signature(input, padding: .PSS)
        expect(.invalidSignature, for: input + "." + Base64URL.encode(signature))
    }

    @Test("An unknown kid has an error of its own, so that the caller can fetch the set again")
    func unknownKey() throws {
        expect(.unknownKey, for: try one.token(header: #"{"alg":"RS256","kid":"k2"}"#))
        expect(.unknownKey, for: try one.token(), keys: try PublishedKeySet([]))
    }

    @Test(
        "A token without a kid is rejected, even if the set has only one key",
        arguments: [
            #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":null}"#, #"{"alg":"RS256","kid":1}"#, #"{"kid":"k1"}"#, "[]",
            "",
        ])
    func header(_ text: String) throws {
        expect(.malformed, for: try one.token(header: text))
    }

    @Test("A token signed by another key under the same kid is rejected")
    func otherKey() throws {
        expect(.invalidSignature, for: try other.token())
    }

    @Test("A key or key URL in the header is ignored")
    func keyInHeader() throws {
        let jwk = String(decoding: try TokenJSON.encode(other.entry()), as: UTF8.self)
        let header = #"{"alg":"RS256","kid":"k1","jku":"https://evil.example/","jwk":\#(jwk)}"#
        expect(.invalidSignature, for: try other.token(header: header))
        #expect(throws: Never.self) { try VerifiedToken(verifying: one.token(header: header), keys: keys) }
    }

    @Test("A token with one changed bit in header, payload or signature is rejected", arguments: 0..<3)
    func tampered(_ index: Int) throws {
        var parts = try one.token().split(separator: ".").map(String.init)
        var bytes = try #require(Base64URL.decode(parts[index]))
        // In the header, the last letter of "k1"; in the other parts, any byte.
        let position = index == 0 ? bytes.count - 3 : bytes.count / 2
        bytes[position] ^= 0x01
        parts[index] = Base64URL.encode(bytes)
        expect(index == 0 ? .unknownKey : .invalidSignature, for: parts.joined(separator: "."))
    }

    @Test("A signature that is shorter, longer or missing is rejected")
    func signatureLength() throws {
        let token = try one.token()
        let input = token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = try #require(Base64URL.decode(token.split(separator: ".")[2]))
        for wrong in [signature.dropLast(), signature + Data([0]), Data([0]) + signature, Data()] {
            expect(.invalidSignature, for: input + "." + Base64URL.encode(wrong))
        }
    }

    @Test(
        "A token with crit is rejected although its signature is valid, even if crit is empty or null",
        arguments: [#"["exp"]"#, "[]", "null"])
    func crit(_ value: String) throws {
        expect(.criticalExtension, for: try one.token(header: #"{"alg":"RS256","kid":"k1","crit":\#(value)}"#))
    }

    @Test(
        "A header that repeats a member is rejected",
        arguments: [
            #"{"alg":"RS256","alg":"none","kid":"k1"}"#, #"{"alg":"none","alg":"RS256","kid":"k1"}"#,
            #"{"alg":"RS256","kid":"k1","kid":"k1"}"#, #"{"alg":"RS256","\u0061lg":"RS256","kid":"k1"}"#,
        ])
    func duplicateMembers(_ text: String) throws {
        expect(.malformed, for: try one.token(header: text))
    }

    @Test("A token with missing or additional parts, or parts that are not canonical base64url, is rejected")
    func shape() throws {
        let token = try one.token()
        for wrong in ["", "a.b", token + ".", token + ".a", "." + token, token + "=", " " + token, token + "\n"] {
            expect(.malformed, for: wrong)
        }
    }

    @Test("A token of more than 8192 bytes is rejected without parsing")
    func tooLong() throws {
        let claims = #"{"sub":"\#(String(repeating: "x", count: CompactParts.maximumLength))"}"#
        expect(.malformed, for: try one.token(payload: claims))
    }

    @Test("Claims that repeat a member are rejected")
    func claims() throws {
        let token = try VerifiedToken(verifying: one.token(payload: #"{"sub":"a","sub":"b"}"#), keys: keys)
        #expect(throws: JWSError.invalidClaims) { try token.claims(as: [String: String].self) }
    }
}

/// The example of RFC 7515 appendix A.2.
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
