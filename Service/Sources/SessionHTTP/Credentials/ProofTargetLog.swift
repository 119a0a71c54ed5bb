import Logging
import SessionDomain
import SessionTokens
import Synchronization

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
