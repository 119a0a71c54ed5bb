import Foundation
import SessionTokens
import Testing

/// JWTs with the rules of RFC 7519 and RFC 8725.
@Suite("JWT")
struct JWTTests {
    private struct Claims: Codable, Equatable {
        var sub: String
        var exp: Int
    }

    private let key = RFCKey.rfc8037A1
    private let claims = Claims(sub: "usr_01j", exp: 1_800_000_000)
    private var keys: VerificationKeys { VerificationKeys([RFCKey.rfc7515A3.publicJWK, key.publicJWK]) }

    private func verify(_ token: String, type: String = TokenType.accessToken) throws -> Claims {
        try JWT.verify(token, as: Claims.self, type: type, keys: keys)
    }

    /// A token with the given header and payload, signed by `key`.
    private func token(header: String, payload: String = #"{"sub":"usr_01j","exp":1800000000}"#) throws -> String {
        try RefreshProofDraft.compact(header: Data(header.utf8), payload: Data(payload.utf8), signer: key)
    }

    @Test("A signed token has the expected header and payload")
    func golden() throws {
        let signed = try JWT.sign(claims, type: TokenType.accessToken, key: key)
        let parts = signed.split(separator: ".").map(String.init)
        let header = try #require(Base64URL.decode(parts[0]))
        let payload = try #require(Base64URL.decode(parts[1]))
        #expect(
            String(decoding: header, as: UTF8.self)
                == #"{"alg":"EdDSA","kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","typ":"at+jwt"}"#)
        #expect(String(decoding: payload, as: UTF8.self) == #"{"exp":1800000000,"sub":"usr_01j"}"#)
    }

    @Test("A signed token is accepted with both algorithms", arguments: [RFCKey.rfc8037A1, RFCKey.rfc7515A3])
    func roundTrip(_ key: SigningKey) throws {
        #expect(try verify(JWT.sign(claims, type: TokenType.accessToken, key: key)) == claims)
    }

    @Test("A token of another type is rejected with the same keys (RFC 8725 §3.11, §3.12, J10, J11)")
    func types() throws {
        let types = [TokenType.accessToken, TokenType.challenge, TokenType.dpopProof]
        for made in types {
            let token = try JWT.sign(claims, type: made, key: key)
            for wanted in types where wanted != made {
                #expect(throws: JWSError.wrongType) { try verify(token, type: wanted) }
            }
        }
    }

    @Test("The typ JWT and a missing typ are rejected (RFC 8725 §3.11, J10)")
    func untyped() throws {
        for header in [
            #"{"alg":"EdDSA","kid":"\#(key.keyID)","typ":"JWT"}"#, #"{"alg":"EdDSA","kid":"\#(key.keyID)"}"#,
        ] {
            let token = try token(header: header)
            #expect(throws: JWSError.wrongType) { try verify(token) }
        }
    }

    @Test("A token without kid or with an unknown kid is rejected (RFC 8725 §3.10, J9)")
    func unknownKey() throws {
        for kid in ["", #","kid":"""#, #","kid":"../../keys/1""#, #","kid":"oKIywvGUpTVTyxMQ3bwIIeQUudfr""#] {
            let token = try token(header: #"{"alg":"EdDSA","typ":"at+jwt"\#(kid)}"#)
            #expect(throws: JWSError.unknownKey) { try verify(token) }
        }
    }

    @Test("A jwk in the header is ignored (RFC 8725 §3.10, J9)")
    func embeddedKey() throws {
        let attacker = RFCKey.rfc7517A2
        let jwk = try String(decoding: TokenJSON.encode(attacker.publicJWK), as: UTF8.self)
        let payload = Data(#"{"sub":"usr_root","exp":1800000000}"#.utf8)
        for kid in [attacker.keyID, RFCKey.rfc7515A3.keyID] {
            let header = #"{"alg":"ES256","typ":"at+jwt","kid":"\#(kid)","jwk":\#(jwk)}"#
            let token = try RefreshProofDraft.compact(header: Data(header.utf8), payload: payload, signer: attacker)
            #expect(throws: JWSError.self) { try verify(token) }
        }
    }

    @Test("A kid of a key with another algorithm is rejected (RFC 8725 §3.1, J1)")
    func algorithmConfusion() throws {
        let token = try token(header: #"{"alg":"EdDSA","typ":"at+jwt","kid":"\#(RFCKey.rfc7515A3.keyID)"}"#)
        #expect(throws: JWSError.unsupportedAlgorithm) { try verify(token) }
    }

    @Test("Claims are decoded only after the signature is verified (RFC 8725 §3.3, J3)")
    func signatureFirst() throws {
        let broken = try JWT.sign(["sub": 1], type: TokenType.accessToken, key: key)
        #expect(throws: JWSError.invalidClaims) { try verify(broken) }
        let tampered =
            broken.split(separator: ".").dropLast().joined(separator: ".") + "." + Base64URL.encode(Data(count: 64))
        #expect(throws: JWSError.invalidSignature) { try verify(tampered) }
    }

    @Test("A token without a required claim is rejected")
    func absentClaim() throws {
        let token = try JWT.sign(["sub": "usr_01j"], type: TokenType.accessToken, key: key)
        #expect(throws: JWSError.invalidClaims) { try verify(token) }
    }

    @Test("A client reads its own token without keys and rejects malformed tokens")
    func unverifiedClaims() throws {
        let token = try JWT.sign(claims, type: TokenType.accessToken, key: key)
        #expect(try JWT.unverifiedClaims(of: token, as: Claims.self) == claims)
        for invalid in ["", "a.b", "a.b.c.d", "a.!.c"] {
            #expect(throws: JWSError.malformed) { try JWT.unverifiedClaims(of: invalid, as: Claims.self) }
        }
        #expect(throws: JWSError.invalidClaims) { try JWT.unverifiedClaims(of: "a.e30.c", as: Claims.self) }
    }
}
