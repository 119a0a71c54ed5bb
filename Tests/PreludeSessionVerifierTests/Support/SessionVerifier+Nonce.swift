import HTTPTypes
import PreludeSessionVerifier

extension SessionVerifier {
    /// The nonce that goes along with a good answer.
    var nextNonce: String? { HTTPField.Name("DPoP-Nonce").flatMap { nextHeaderFields[$0] } }
}
