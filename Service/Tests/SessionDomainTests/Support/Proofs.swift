import SessionTokens
import Testing

@testable import SessionDomain

extension TestApp {
    /// A checked proof of a new key.
    static func proof(id: String = "proof", issuedAt: Timestamp = now, nonce: String? = nil) throws -> CheckedProof {
        let key = SigningKey.generate(.es256)
        let target = try #require(TargetURI("https://session.example.com/v1/session/otp/check"))
        let proof = DPoPProof(
            header: DPoPProofHeader(publicKey: key.publicJWK), method: "POST", target: target, nonce: nonce,
            id: id, issuedAt: issuedAt.seconds)
        let text = try proof.compact(signature: key.signature(for: proof.signingInput))
        return try DPoPProofChecker(method: "POST", targets: [target], accessToken: nil).check(headers: [text])
    }
}
