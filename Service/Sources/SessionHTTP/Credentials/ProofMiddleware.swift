import Hummingbird
import Logging
import SessionDomain
import SessionTokens
import SessionWire

/// Validates the DPoP proof of a request, if it has one (RFC 9449 §4.3).
struct ProofMiddleware: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let log: ProofTargetLog
    /// The headers of recent proofs with their keys. They take 3 MiB at most, and a place costs its sender a valid signature.
    let headers = RecentValues<String, KnownProofHeader>(capacity: 2048)

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.results.proof = try check(request, context)
        return try await next(request, context)
    }

    private func check(_ request: Request, _ context: ServiceRequestContext) throws -> ProofResult {
        let proofs = request.headers.all(.dpop)
        guard let first = proofs.first else { return .absent }
        let known = EncodedHeader.text(of: first).flatMap { headers.value(for: $0) }
        let targets = try context.original.map { [$0.target] } ?? context.app.targets(path: request.uri.path)
        let checker = DPoPProofChecker(
            method: context.original?.method ?? request.method.rawValue, targets: targets,
            accessToken: request.presentedToken?.token,
            accessTokenHash: .whenPresent, known: known)
        do {
            let proof = try checker.check(headers: proofs)
            if let header = proof.newHeader { headers.keep(header, for: header.encoded) }
            return .valid(proof)
        } catch {
            let host = request.head.authority.flatMap { TargetURI("https://" + $0)?.host }
            // Of the configured origins, the one of the host that the client called helps it most.
            let expected = targets.first { $0.host == host } ?? targets.first
            guard error == .wrongTarget, let expected else { throw Refusal.invalidProof(error) }
            log.note(checker.claimedTarget(headers: proofs), expected: expected, logger: context.logger)
            throw Refusal.proofForOtherTarget(expected: expected.absoluteString)
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
