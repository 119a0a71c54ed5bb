import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// Validates the DPoP proof of a request, if it has one (RFC 9449 §4.3).
@available(service, *)
struct ProofMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.results.proof = try Self.check(request, app: context.app)
        return try await next(request, context)
    }

    private static func check(_ request: Request, app: AppRuntime) throws -> ProofResult {
        let proofs = request.headers.all(HeaderName.dpop)
        guard !proofs.isEmpty else { return .absent }
        let checker = DPoPProofChecker(
            method: request.method.rawValue, targets: app.origins.targets(of: app.settings, path: request.uri.path),
            accessToken: request.presentedToken?.token, accessTokenHash: .whenPresent)
        do {
            return .valid(try checker.check(headers: proofs))
        } catch {
            throw Refusal.invalidProof(error)
        }
    }
}

/// The DPoP proof of a request. An invalid proof is an error and has no case here.
enum ProofResult: Sendable {
    case absent
    case valid(CheckedProof)

    var proof: CheckedProof? {
        switch self {
        case .absent: nil
        case .valid(let proof): proof
        }
    }
}
