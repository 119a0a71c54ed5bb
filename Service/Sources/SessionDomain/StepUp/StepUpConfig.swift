/// How one app decides on requests for scopes.
package struct StepUpConfig: Sendable, Equatable, Codable {
    /// The URL of the keys that sign custom steps with RS256. `nil` without custom steps.
    package var jwksURL: String?
    /// The keys of custom steps.
    package var stepKeys: [String]
    package var rules: [ScopeRule]
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(jwksURL: String?, stepKeys: [String], rules: [ScopeRule], at time: Timestamp) {
        self.jwksURL = jwksURL
        self.stepKeys = stepKeys
        self.rules = rules
        createdAt = time
        updatedAt = time
    }

    /// Whether a step with this key exists.
    package func knows(stepKey: String) -> Bool {
        [StepUpStep.verifySMS, StepUpStep.verifyEmail].contains(stepKey) || stepKeys.contains(stepKey)
    }
}

/// A rule for one scope. A scope may have several direct rules, for users with different identifiers.
package struct ScopeRule: Sendable, Equatable, Codable {
    package enum Mode: Sendable, Equatable, Codable {
        /// The operator's hook at this URL.
        case delegated(hook: String)
        /// This decision, for users with an identifier of one of these types.
        case direct([IdentifierType], StepUpDecision)
        /// The service: the reserved scopes that register an identifier.
        case managed
    }

    package var scope: String
    package var mode: Mode

    package init(scope: String, mode: Mode) {
        self.scope = scope
        self.mode = mode
    }
}
