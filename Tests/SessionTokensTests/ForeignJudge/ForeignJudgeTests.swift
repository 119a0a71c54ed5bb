import Foundation
import SessionForeignJudge
import SessionTokens
import Testing

/// Checks our tokens and proofs with the independent Python implementation, and its proofs with ours.
@Suite("Foreign judge")
struct ForeignJudgeTests {
    private let url = "https://app.example/v1/session/refresh"
    private let issuer = "app.example", audience = "abcdefg"
    private let now: Int64 = 1_800_000_000

    private func ourProof(
        _ key: SigningKey, accessToken: String? = nil, nonce: String? = nil
    ) throws -> String {
        let target = try #require(TargetURI(url))
        let proof = DPoPProof(
            header: DPoPProofHeader(publicKey: key.publicJWK), method: "POST", target: target,
            accessTokenHash: accessToken.map(DPoPProof.accessTokenHash), nonce: nonce,
            id: "e1j3V_bKic8-LAEB", issuedAt: now
        )
        return try proof.compact(signature: key.signature(for: proof.signingInput))
    }

    private func judge(proof: String, url: String? = nil, accessToken: String? = nil) throws -> ForeignJudge.Verdict {
        var arguments: [String: JSONValue] = [
            "proof": .string(proof), "method": "POST", "url": .string(url ?? self.url),
        ]
        arguments["access_token"] = accessToken.map(JSONValue.string)
        return try ForeignJudge.ask(.verifyDPoP, arguments)
    }

    private func we(check proof: String, accessToken: String? = nil) throws -> CheckedProof {
        let target = try #require(TargetURI(url))
        return try DPoPProofChecker(method: "POST", targets: [target], accessToken: accessToken).check(headers: [proof])
    }

    @Test("The judge accepts our proofs with the same key and claims")
    func ourProofs() throws {
        let key = SigningKey.generate(.es256)
        let verdict = try judge(proof: ourProof(key, accessToken: "token", nonce: "n-0S6"), accessToken: "token")
        #expect(verdict.accepted, "\(verdict.reason ?? "")")
        #expect(verdict.thumbprint == key.keyID)
        #expect(verdict.claims?["jti"] == "e1j3V_bKic8-LAEB")
        #expect(verdict.claims?["nonce"] == "n-0S6")
        #expect(verdict.claims?["iat"] == .int(now))
    }

    @Test("Our checker accepts the judge's proofs, with and without nonce and access token")
    func judgesProofs() throws {
        let arguments: [String: JSONValue] = ["method": "POST", "url": .string(url + "?limit=10"), "iat": .int(now)]
        let plain = try ForeignJudge.ask(.makeDPoP, arguments)
        let bare = try we(check: #require(plain.proof))
        #expect(bare.thumbprint == plain.thumbprint)
        #expect(bare.issuedAt == Double(now))

        let additions: [String: JSONValue] = [
            "nonce": "n-0S6", "access_token": "token", "key": .object(plain.key ?? [:]),
        ]
        let full = try ForeignJudge.ask(.makeDPoP, arguments.merging(additions) { $1 })
        let checked = try we(check: #require(full.proof), accessToken: "token")
        #expect(checked.nonce == "n-0S6")
        #expect(checked.key == bare.key, "the same private key is the same device")
        #expect(checked.id != bare.id)
        #expect(throws: DPoPError.wrongAccessToken) { try we(check: #require(full.proof), accessToken: "other") }
    }

    @Test("Both reject a proof that is changed in any part", arguments: 0..<3)
    func tamperedProof(_ part: Int) throws {
        let tampered = try Self.tamper(ourProof(SigningKey.generate(.es256)), part: part)
        #expect(try !judge(proof: tampered).accepted)
        #expect(throws: DPoPError.self) { try we(check: tampered) }
    }

    @Test("The judge rejects a proof for another target or another access token")
    func strictJudge() throws {
        let proof = try ourProof(SigningKey.generate(.es256), accessToken: "token")
        let target = try judge(proof: proof, url: "https://app.example/v1/session/revoke")
        #expect(target.reason == "htu is another target")
        #expect(try judge(proof: proof, accessToken: "other").reason == "ath is another token's")
    }

    @Test("Both compute the same thumbprints for new keys", arguments: CurveAlgorithm.allCases)
    func thumbprints(_ algorithm: CurveAlgorithm) throws {
        let key = SigningKey.generate(algorithm).publicJWK
        let members = key.requiredMembers.mapValues(JSONValue.string)
        #expect(try ForeignJudge.ask(.thumbprint, ["jwk": .object(members)]).thumbprint == key.thumbprint)
    }

    private func accessToken(_ key: SigningKey, type: String = TokenType.accessToken) throws -> String {
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": .string(audience), "sub": "usr_01j", "sid": "ses_01j",
            "client_id": .string(audience), "jti": "jti_01j",
            "iat": .int(now), "nbf": .int(now), "exp": .int(now + 300), "name": "Zoë",
        ]
        return try JWT.sign(claims, type: type, key: key)
    }

    private func judge(
        token: String, keys: [SigningKey], audience: String? = nil, after seconds: Int64 = 1
    ) throws -> ForeignJudge.Verdict {
        let set = ["keys": keys.map(\.publicJWK.publishedMembers)]
        return try ForeignJudge.ask(
            .verifyAccessToken,
            [
                "token": .string(token), "issuer": .string(issuer), "audience": .string(audience ?? self.audience),
                "jwks": TokenJSON.decode(JSONValue.self, from: TokenJSON.encode(set)), "now": .int(now + seconds),
            ])
    }

    @Test("The judge accepts our access tokens with our key set", arguments: CurveAlgorithm.allCases)
    func accessTokens(_ algorithm: CurveAlgorithm) throws {
        let keys = [SigningKey.generate(.edDSA), SigningKey.generate(.es256)]
        let key = try #require(keys.first { $0.algorithm == algorithm.signatureAlgorithm })
        let verdict = try judge(token: accessToken(key), keys: keys)
        #expect(verdict.accepted, "\(verdict.reason ?? "")")
        #expect(verdict.claims?["sub"] == "usr_01j")
        #expect(verdict.claims?["name"] == "Zoë")
    }

    @Test("Both reject an access token that is changed in any part", arguments: CurveAlgorithm.allCases, 0..<3)
    func tamperedAccessToken(_ algorithm: CurveAlgorithm, _ part: Int) throws {
        let key = SigningKey.generate(algorithm)
        let tampered = try Self.tamper(accessToken(key), part: part)
        #expect(try !judge(token: tampered, keys: [key]).accepted)
        #expect(throws: (any Error).self) {
            try JWT.verify(
                tampered, as: [String: JSONValue].self, type: TokenType.accessToken,
                keys: VerificationKeys([key.publicJWK]))
        }
    }

    @Test("The judge rejects an expired token, another audience, another type and another key")
    func strictAboutTokens() throws {
        let key = SigningKey.generate(.edDSA)
        let token = try accessToken(key)
        #expect(try judge(token: token, keys: [key]).accepted)
        #expect(try !judge(token: token, keys: [key], after: 301).accepted)
        #expect(try !judge(token: token, keys: [key], audience: "gfedcba").accepted)
        #expect(try !judge(token: accessToken(key, type: TokenType.challenge), keys: [key]).accepted)
        #expect(try !judge(token: token, keys: [SigningKey.generate(.edDSA)]).accepted)
    }

    /// Replaces one character in the middle of a part.
    private static func tamper(_ token: String, part index: Int) throws -> String {
        var parts = token.split(separator: ".").map(Array.init)
        let middle = parts[index].count / 2
        parts[index][middle] = parts[index][middle] == "A" ? "B" : "A"
        return parts.map { String($0) }.joined(separator: ".")
    }
}
