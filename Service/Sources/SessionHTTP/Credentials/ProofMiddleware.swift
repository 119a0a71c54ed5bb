import Hummingbird
import Logging
import SessionDomain
import SessionTokens
import SessionWire
import Synchronization

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
        let targets = try context.original?.targets ?? context.app.targets(path: request.uri.path)
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

/// Logs proofs that were made for another URL, with both URLs: a wrong endpoint or public URL makes every login fail.
///
/// Any client can send such proofs. So in 10 seconds each claimed origin gets one warning, and at most 8 origins get one. A
/// warning has the number of the lines that were not warnings since the one before it; these have the level debug. The URLs
/// have no query, and the claimed one is normalised and bounded.
final class ProofTargetLog: Sendable {
    /// Seconds between two warnings about one origin.
    static let interval = 10
    /// Maximum number of warnings in one interval.
    static let maximumWarnings = 8

    private struct State {
        var startedAt: Timestamp?
        /// The claimed origins that have a warning in this interval.
        var origins: Set<String> = []
        var omitted = 0
    }

    private let environment: ServiceEnvironment
    private let state = Mutex(State())

    init(environment: ServiceEnvironment) { self.environment = environment }

    /// Logs a rejected proof.
    ///
    /// - Parameters:
    ///   - claimed: The URL of the proof; `nil` if it is not valid.
    ///   - expected: The first URL that configuration gives to the request.
    func note(_ claimed: TargetURI?, expected: TargetURI, logger: Logger) {
        let omitted = warn(claimed?.origin ?? "", at: environment.now())
        logger.log(
            level: omitted == nil ? .debug : .warning,
            "a DPoP proof is for another URL: check the endpoint of the client, --public-url and the app's domains",
            metadata: [
                "claimed": "\(claimed?.absoluteString ?? "no valid URL")", "expected": "\(expected.absoluteString)",
                "omitted": "\(omitted ?? 0)",
            ])
    }

    /// The number of proofs without a warning since the last one, if a warning is due.
    private func warn(_ origin: String, at now: Timestamp) -> Int? {
        state.withLock { state in
            // A clock that was set back does not stop the warnings.
            if let start = state.startedAt, (0..<Int64(Self.interval)).contains(now.seconds - start.seconds) {
                guard state.origins.count < Self.maximumWarnings, !state.origins.contains(origin) else {
                    state.omitted += 1
                    return nil
                }
            } else {
                state.startedAt = now
                state.origins = []
            }
            state.origins.insert(origin)
            defer { state.omitted = 0 }
            return state.omitted
        }
    }
}
