import HTTPTypes
import Hummingbird
import SessionDomain
import SessionWire

/// Says with each refusal of a signed-in call how a token has to be presented (RFC 9110 §11.6.1).
struct WWWAuthenticateMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            var response = try ErrorAnswer.make(for: error, request: request, context: context)
            let binding = context.app?.settings.sessions.accessTokenBinding ?? .bearer
            let challenge = AuthenticateChallenge(
                binding: binding, presented: request.presentedToken?.scheme, refusal: WireRefusal(error))
            if let challenge { response.headers[.wwwAuthenticate] = challenge.text }
            return response
        }
    }
}

/// The value of `WWW-Authenticate`: the scheme that the app's tokens have now, and the one that was used.
struct AuthenticateChallenge: Equatable {
    let text: String

    /// - Parameters:
    ///   - binding: What new tokens of the app are bound to.
    ///   - presented: The scheme of the request; without one there is nothing to tell but the schemes (RFC 6750 §3.1).
    init?(
        binding: SessionPolicy.AccessTokenBinding, presented: PresentedToken.Scheme?, refusal: WireRefusal
    ) {
        guard let error = Self.error(of: refusal) else { return nil }
        var challenges: [String] = []
        if binding == .bearer || presented == .bearer {
            // Errors about proofs are words of the other scheme only.
            let isKnown = presented == .bearer && !error.isAboutProof
            challenges.append("Bearer" + (isKnown ? " error=\"\(error.code)\"" : ""))
        }
        if binding == .dpop || presented == .dpop {
            let isKnown = presented == .dpop || (presented != nil && error.isAboutProof)
            challenges.append("DPoP " + (isKnown ? "error=\"\(error.code)\", " : "") + "algs=\"ES256\"")
        }
        text = challenges.joined(separator: ", ")
    }

    /// The word of RFC 6750 §3.1 or RFC 9449 §7.1 for a refusal, if it is about the token or its proof.
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
