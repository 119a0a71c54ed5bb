import Foundation
import SessionTokens
import Testing

@Suite("Signing key")
struct SigningKeyTests {
    @Test("A key restored from its raw representation is the same key", arguments: CurveAlgorithm.allCases)
    func storage(_ algorithm: CurveAlgorithm) throws {
        let key = SigningKey.generate(algorithm)
        #expect(key.algorithm == algorithm.signatureAlgorithm)
        #expect(key.rawRepresentation.count == 32)
        let restored = try #require(SigningKey(algorithm: algorithm, rawRepresentation: key.rawRepresentation))
        #expect(restored.keyID == key.keyID)
        let message = Data("message".utf8)
        let signature = try restored.signature(for: message)
        #expect(signature.count == 64)
        #expect(key.publicJWK.isValidSignature(signature, for: message))
        #expect(!key.publicJWK.isValidSignature(signature, for: Data("another".utf8)))
    }

    @Test("A signature of any other length than 64 bytes is invalid, and so are zeros (RFC 7518 §3.4)")
    func lengths() throws {
        let (key, message) = (SigningKey.generate(.es256), Data("message".utf8))
        let signature = try key.signature(for: message)
        for count in [0, 1, 32, 63, 65, 96, 128] {
            let other = (signature + signature).prefix(count)
            #expect(!key.publicJWK.isValidSignature(other, for: message))
        }
        #expect(!key.publicJWK.isValidSignature(Data(count: 64), for: message))
        #expect(key.publicJWK.isValidSignature((Data([0]) + signature).dropFirst(), for: message))
    }

    // Proves: K8
    @Test(
        "The name of RFC 9864 changes alg only, not the key id or the signature (RFC 7638 §3)")
    func fullySpecified() throws {
        let key = SigningKey.generate(.edDSA)
        let named = key.fullySpecified()
        #expect(key.publicJWK.publishedMembers["alg"] == "EdDSA")
        #expect(named.publicJWK.publishedMembers["alg"] == "Ed25519")
        #expect(named.publicJWK.requiredMembers == key.publicJWK.requiredMembers)
        #expect(named.keyID == key.keyID && named.publicJWK.thumbprint == key.publicJWK.thumbprint)
        let token = try JWT.sign(["sub": "usr_1"], type: "at+jwt", key: named)
        #expect(try CompactParts(token).header == Data(#"{"alg":"Ed25519","kid":"\#(key.keyID)","typ":"at+jwt"}"#.utf8))
        for verifier in [key, named] {
            _ = try VerifiedToken(CompactJWS(parsing: token), key: verifier.publicJWK)
        }
        #expect(SigningKey.generate(.es256).fullySpecified().algorithm == .es256)
    }

    @Test("Bytes that are not a key are rejected", arguments: CurveAlgorithm.allCases)
    func malformed(_ algorithm: CurveAlgorithm) {
        for bytes in [Data(), Data(count: 31), Data(count: 33)] {
            #expect(SigningKey(algorithm: algorithm, rawRepresentation: bytes) == nil)
        }
    }

    @Test("Zero and the order of the curve are rejected as ES256 scalars")
    func scalarRange() throws {
        let order = try #require(Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"))
        #expect(SigningKey(algorithm: .es256, rawRepresentation: Data(count: 32)) == nil)
        #expect(SigningKey(algorithm: .es256, rawRepresentation: order) == nil)
    }

    @Test("Two generated keys are different")
    func generation() {
        #expect(SigningKey.generate(.es256).keyID != SigningKey.generate(.es256).keyID)
        #expect(SigningKey.generate(.edDSA).keyID != SigningKey.generate(.edDSA).keyID)
    }
}
