import HTTPTypes
import Hummingbird
import SessionDomain
import SessionWire

/// Requires a valid access token of a live session.
struct AccessTokenMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let authenticator: AccessTokenAuthenticator

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let app = try context.app
        let caller = try await authenticator.authenticate(
            app: app, presented: request.presentedToken, proof: context.proof)
        context.results.caller = caller
        var response = try await next(request, context)
        if let nonce = caller.nextNonce { response.headers.set(.dpopNonce, to: nonce) }
        return response
    }
}

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

/// Adds `WWW-Authenticate` to error responses of calls that need an access token (RFC 9110 §11.6.1).
struct WWWAuthenticateMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        let binding = try context.app.settings.sessions.accessTokenBinding
        do {
            return try await next(request, context)
        } catch {
            var response = try ErrorResponse.make(for: error, request: request, context: context)
            let challenge = AuthenticateChallenge(
                binding: binding, presented: request.presentedToken?.scheme, refusal: WireRefusal(error))
            if let challenge { response.headers[.wwwAuthenticate] = challenge.text }
            return response
        }
    }
}

extension Request {
    /// The token of `Authorization: Bearer …`, or of `DPoP …` (RFC 6750 §2.1, RFC 9449 §7.1).
    ///
    /// `nil` for another scheme, and for more than one `Authorization` header.
    var presentedToken: PresentedToken? {
        let values = headers.all(.authorization)
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let scheme = PresentedToken.Scheme(rawValue: parts[0].lowercased()) else { return nil }
        // One space or more (RFC 9110 §11.4).
        return PresentedToken(scheme: scheme, token: String(parts[1].drop { $0 == " " }))
    }

    /// The token of `Authorization: Bearer …` only.
    var bearerToken: String? { presentedToken.flatMap { $0.scheme == .bearer ? $0.token : nil } }
}
