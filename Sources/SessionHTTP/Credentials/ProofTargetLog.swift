import Logging
import SessionDomain
import SessionTokens
import Synchronization

/// Logs proofs that were made for another URL, with both URLs: a wrong endpoint or public URL makes every login fail.
///
/// At most one line in 10 seconds is a warning, with the number of those before it, because any client can send such proofs.
/// The others have the level debug. The URLs have no query, and the claimed one is normalised and bounded.
@available(service, *)
final class ProofTargetLog: Sendable {
    /// Seconds between two warnings.
    static let interval = 10

    private struct State {
        var warnedAt: Timestamp?
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
        let omitted = warn(at: environment.now())
        logger.log(
            level: omitted == nil ? .debug : .warning,
            "a DPoP proof is for another URL: check the endpoint of the client, --public-url and the app's domains",
            metadata: [
                "claimed": "\(claimed?.absoluteString ?? "no valid URL")", "expected": "\(expected.absoluteString)",
                "omitted": "\(omitted ?? 0)",
            ])
    }

    /// The number of proofs since the last warning, if a warning is due.
    private func warn(at now: Timestamp) -> Int? {
        state.withLock { state in
            // A clock that was set back does not stop the warnings.
            if let last = state.warnedAt, (0..<Int64(Self.interval)).contains(now.seconds - last.seconds) {
                state.omitted += 1
                return nil
            }
            defer { state = State(warnedAt: now) }
            return state.omitted
        }
    }
}
