/// When keys are replaced, and how long they are published before and after they sign.
///
/// A new key is published before it signs, for as long as a node or verifier may still use an older key set:
///
///     publishAhead = directory lifetime + max-age of the set + verifier's interval + clock leeway
///                  =         5          +        300         +       30         +      60       = 395 seconds
///
/// An old key stays published after it stops signing, for as long as anything that it signed is valid, plus the time by
/// which others may be behind: `longestLife + publishAhead`.
package struct KeyRotationPolicy: Sendable, Equatable {
    /// Longest `max-age` of a key set in seconds (RFC 9111 §5.2.2.1).
    package static let longestKeySetAge = 300
    /// Seconds that a verifier may wait before it fetches a key set again.
    package static let verifierInterval = 30
    /// Seconds by which the clocks of nodes and verifiers may differ.
    package static let clockLeeway = 60
    /// The smallest `publishAhead` with which no verification fails.
    package static let safePublishAhead =
        AppDirectory.lifetime + longestKeySetAge + verifierInterval + clockLeeway
    /// Seconds within which a backend must check the signature of a hook or webhook.
    package static let hookSignatureLife = 3600
    package static let standardInterval = 90 * 86_400

    /// Seconds that a key signs before it gets a successor. `nil`: only on request.
    package var interval: Int?
    /// Seconds that a key is published before it signs.
    package var publishAhead: Int

    /// - Parameter publishAhead: A value below `safePublishAhead` is for development only. It also shortens `keySetMaxAge`.
    package init(interval: Int? = standardInterval, publishAhead: Int = safePublishAhead) {
        self.interval = interval
        self.publishAhead = publishAhead
    }

    /// `max-age` of a key set in seconds, limited by `publishAhead`.
    package var keySetMaxAge: Int { max(0, min(Self.longestKeySetAge, publishAhead - AppDirectory.lifetime)) }

    /// Seconds after a key was first seen until every node and verifier must have it. Measured by uptime, so clock changes
    /// have no effect and no clock leeway is needed.
    package var propagationTime: Int {
        min(publishAhead, AppDirectory.lifetime + keySetMaxAge + Self.verifierInterval)
    }

    /// Seconds that a key stays published after it stopped signing.
    package func retention(of purpose: StoredSigningKey.Purpose) -> Int {
        purpose.longestLife + max(publishAhead, Self.safePublishAhead)
    }
}

extension StoredSigningKey.Purpose {
    /// The longest validity in seconds of anything that a key of this purpose signs, under any configuration.
    var longestLife: Int {
        switch self {
        case .access: SessionPolicy.accessTokenLifetimes.upperBound
        case .challenge:
            max(StepUpStep.maximumDuration, StepUpChallenge.redemptionTime, ChallengeClaims.lifetime)
        case .hook: KeyRotationPolicy.hookSignatureLife
        }
    }
}
