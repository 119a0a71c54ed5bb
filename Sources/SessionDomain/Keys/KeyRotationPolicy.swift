/// When keys change, and for how long they are published before and after they sign.
///
/// A new key is published before it signs for as long as somebody may still go by an older key set:
///
///     publishAhead = directory lifetime + max-age of the set + verifier's interval + clock leeway
///                  =         5          +        300         +       30         +      60       = 395 seconds
///
/// An old key is published after it stopped signing for as long as anything that it signed is good, and as much again
/// as others may be behind: `longestLife + publishAhead`.
package struct KeyRotationPolicy: Sendable, Equatable {
    /// Seconds for which a key set may be cached (RFC 9111 §5.2.2.1).
    package static let longestKeySetAge = 300
    /// Seconds for which a verifier may wait before it fetches again.
    package static let verifierInterval = 30
    /// Seconds by which the clocks of nodes and verifiers may differ.
    package static let clockLeeway = 60
    /// The least `publishAhead` at which no verification fails.
    package static let safePublishAhead =
        AppDirectory.lifetime + longestKeySetAge + verifierInterval + clockLeeway
    /// Seconds for which a backend may take its time to check what a hook or a webhook was signed with.
    package static let hookSignatureLife = 3600
    package static let standardInterval = 90 * 86_400

    /// Seconds for which a key signs before it gets a successor; `nil`: until somebody asks for one.
    package var interval: Int?
    /// Seconds for which a key is published before it signs.
    package var publishAhead: Int

    /// - Parameter publishAhead: Less than `safePublishAhead` is for development only; caches are shortened with it.
    package init(interval: Int? = standardInterval, publishAhead: Int = safePublishAhead) {
        self.interval = interval
        self.publishAhead = publishAhead
    }

    /// `max-age` of a key set: what fits into the time for which keys are published ahead.
    package var keySetMaxAge: Int { max(0, min(Self.longestKeySetAge, publishAhead - AppDirectory.lifetime)) }

    /// Seconds after which a process that knows a key may take it for known everywhere: what other nodes and verifiers may
    /// be behind. That clocks differ does not matter where none is read.
    package var knownAfter: Int {
        min(publishAhead, AppDirectory.lifetime + keySetMaxAge + Self.verifierInterval)
    }

    /// Seconds for which a key is published after it stopped signing.
    package func retention(of purpose: StoredSigningKey.Purpose) -> Int {
        purpose.longestLife + max(publishAhead, Self.safePublishAhead)
    }
}

extension StoredSigningKey.Purpose {
    /// Seconds for which something that a key of this purpose signed can be good, under any configuration.
    var longestLife: Int {
        switch self {
        case .access: SessionPolicy.accessTokenLifetimes.upperBound
        case .challenge:
            max(StepUpStep.maximumDuration, StepUpChallenge.redemptionTime, ChallengeClaims.lifetime)
        case .hook: KeyRotationPolicy.hookSignatureLife
        }
    }
}

extension SessionPolicy {
    /// Seconds that an access token may be good for.
    package static let accessTokenLifetimes = 60...900
}
