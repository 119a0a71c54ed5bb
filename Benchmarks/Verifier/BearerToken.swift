import Measurement
import PreludeSessionVerifier

/// Compares `verify(_:)` of a bearer token, with cached keys, with the check of its signature by swift-crypto.
func bearerToken(_ algorithm: Issuer.Algorithm) {
    struct Stage {
        let verifier: SessionVerifier
        let token: String
        let check: () -> Bool
    }
    Comparison(
        "verify(token) \(algorithm.rawValue)", calls: 200,
        stage: {
            let issuer = try Issuer()
            let (verifier, token) = (try issuer.verifier(), try issuer.token(algorithm))
            _ = try await verifier.verify(token)
            return Stage(verifier: verifier, token: token, check: try issuer.bareCheck(algorithm, of: token))
        },
        reference: { stage in { guard stage.check() else { throw Unexpected() } } },
        subject: { stage in { _ = try await stage.verifier.verify(stage.token) } }
    ).register()
}
