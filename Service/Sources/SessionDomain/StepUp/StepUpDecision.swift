/// The decision on a request for a scope, by configuration or by the operator's hook.
package enum StepUpDecision: Sendable, Equatable, Codable {
    /// Denied.
    case block
    /// Granted at once.
    case grant(GrantTerms)
    /// Granted after these steps.
    case review(GrantTerms, steps: [StepUpStep])
}

package enum StepUpStatus: String, Sendable, Codable, CaseIterable {
    case `continue`
    case review
    case block
}

/// How long a scope is granted, and for which tokens.
package struct GrantTerms: Sendable, Equatable, Codable {
    package var mode: GrantMode
    /// Seconds from completion. 0 is valid for single use only: as long as its one access token.
    package var grantedFor: Int

    package init(mode: GrantMode, grantedFor: Int) {
        self.mode = mode
        self.grantedFor = grantedFor
    }

    package static let maximumDuration = 86_400
}

package enum GrantMode: String, Sendable, Codable, CaseIterable {
    /// One access token, until the next refresh or the call that consumes it.
    case singleUse = "single-use"
    /// Every access token of the session.
    case sessionBound = "session-bound"
    /// Every access token of every session of the user.
    case profileBound = "profile-bound"
}
