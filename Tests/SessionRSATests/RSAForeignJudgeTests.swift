import Foundation
import SessionConformance
import SessionForeignJudge
import SessionRSA
import SessionTokens
import Testing

/// Checks RSA against an independent implementation, in both directions.
@Suite("RSA and the foreign judge")
struct RSAForeignJudgeTests {
    private func judge(
        _ key: RSASigningKey, signature: Data, message: String = "message", saltLength: Int64 = 32
    ) throws -> ForeignJudge.Verdict {
        try ForeignJudge.ask(
            .verifyPSS,
            [
                "jwk": .object(key.publicKey.requiredMembers.mapValues(JSONValue.string)), "message": .string(message),
                "signature": .string(Base64URL.encode(signature)), "salt_length": .int(saltLength),
            ])
    }

    @Test("The judge accepts our PSS signatures with a salt of 32 bytes, and computes the same thumbprint")
    func ourSignatures() throws {
        let key = try FixedRSAKeys.key(0)
        let signature = try key.pssSignature(for: Data("message".utf8))
        let verdict = try judge(key, signature: signature)
        #expect(verdict.accepted, "\(verdict.reason ?? "")")
        #expect(verdict.thumbprint == key.keyID)
        #expect(try judge(key, signature: signature, message: "massage").reason == "the signature is wrong")
        #expect(try judge(key, signature: signature, saltLength: 20).reason == "the signature is wrong")
    }

    private func judgesToken(_ arguments: [String: JSONValue] = [:]) throws -> (String, PublishedKeySet) {
        let made = try ForeignJudge.ask(
            .makeRSAToken, ["claims": .object(["sub": "usr_1", "exp": .int(1_800_000_000)])].merging(arguments) { $1 })
        return (try #require(made.token), try PublishedKeySet(json: TokenJSON.encode(made.jwks), algorithms: [.rs256]))
    }

    @Test("The judge's RS256 tokens verify with the judge's key set")
    func judgesTokens() throws {
        let (token, keys) = try judgesToken(["kid": "2026-01", "typ": "JWT"])
        let verified = try VerifiedToken(verifying: token, keys: keys)
        #expect(verified.keyID == "2026-01")
        #expect(verified.type == "JWT")
        #expect(try verified.claims(as: [String: JSONValue].self) == ["sub": "usr_1", "exp": .int(1_800_000_000)])
    }

    @Test(
        "The judge's tokens with other algorithms are rejected although the key is known",
        arguments: ["PS256", "RS512"])
    func judgesOtherAlgorithms(_ algorithm: JSONValue) throws {
        let (token, keys) = try judgesToken(["alg": algorithm])
        #expect(keys.count == 1)
        #expect(throws: JWSError.unsupportedAlgorithm) { try VerifiedToken(verifying: token, keys: keys) }
    }

    @Test("A token does not verify with a different key under the same kid")
    func otherJudge() throws {
        let (token, _) = try judgesToken()
        let (_, keys) = try judgesToken()
        #expect(throws: JWSError.invalidSignature) { try VerifiedToken(verifying: token, keys: keys) }
    }
}
