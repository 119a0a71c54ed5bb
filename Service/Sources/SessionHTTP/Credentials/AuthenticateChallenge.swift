import HTTPTypes
import SessionDomain
import SessionWire

/// The value of `WWW-Authenticate`: the scheme of the app's new tokens, and the scheme of the request.
struct AuthenticateChallenge: Equatable {
    let text: String

    /// Returns `nil` if the error is not about the token or its proof.
    ///
    /// - Parameters:
    ///   - binding: The binding of new access tokens of the app.
    ///   - presented: The scheme of the request. Without one the challenge names schemes but no error (RFC 6750 §3.1).
    init?(
        binding: SessionPolicy.AccessTokenBinding, presented: PresentedToken.Scheme?, refusal: WireRefusal
    ) {
        guard let error = Self.error(of: refusal) else { return nil }
        var challenges: [String] = []
        if binding == .bearer || presented == .bearer {
            // Only the DPoP scheme defines errors about proofs.
            let isKnown = presented == .bearer && !error.isAboutProof
            challenges.append("Bearer" + (isKnown ? " error=\"\(error.code)\"" : ""))
        }
        if binding == .dpop || presented == .dpop {
            let isKnown = presented == .dpop || (presented != nil && error.isAboutProof)
            challenges.append("DPoP " + (isKnown ? "error=\"\(error.code)\", " : "") + "algs=\"ES256\"")
        }
        text = challenges.joined(separator: ", ")
    }

    /// The error code of RFC 6750 §3.1 or RFC 9449 §7.1; `nil` if the error is not about the token or its proof.
    private static func error(of refusal: WireRefusal) -> (code: String, isAboutProof: Bool)? {
        switch refusal.code {
        case .invalidDPoPProof, .missingDPoPProof: ("invalid_dpop_proof", true)
        case .useDPoPNonce: ("use_dpop_nonce", true)
        case .insufficientScope: ("insufficient_scope", false)
        case _ where refusal.status == .unauthorized: ("invalid_token", false)
        default: nil
        }
    }
}
