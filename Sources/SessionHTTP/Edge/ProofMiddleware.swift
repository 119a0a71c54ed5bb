import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// Checks the DPoP proof of a request, if it has one.
struct ProofMiddleware: RouterMiddleware {
    typealias Context = AnonymousContext

    func handle(
        _ request: Request, context: AnonymousContext,
        next: (Request, AnonymousContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let proofs = request.headers.all(HeaderName.dpop)
        if !proofs.isEmpty, let app = context.app {
            let checker = DPoPProofChecker(
                method: request.method.rawValue, targets: app.origins.targets(of: app.settings, path: request.uri.path),
                accessToken: request.presentedToken?.token, accessTokenHash: .whenPresent)
            do {
                context.proof = try checker.check(headers: proofs)
            } catch {
                throw Refusal.invalidProof(error)
            }
        }
        return try await next(request, context)
    }
}

extension Request {
    /// The token of `Authorization: Bearer …` alone.
    var bearerToken: String? { presentedToken.flatMap { $0.scheme == .bearer ? $0.token : nil } }

    /// The token of `Authorization: Bearer …`, or of `DPoP …` (RFC 6750 §2.1, RFC 9449 §7.1).
    var presentedToken: PresentedToken? {
        let values = headers.all("authorization")
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let scheme = PresentedToken.Scheme(rawValue: parts[0].lowercased()) else { return nil }
        return PresentedToken(scheme: scheme, token: String(parts[1]))
    }
}
