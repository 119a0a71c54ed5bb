/// `POST /stepup/request`: asks for a scope.
package struct StepUpRequest: Codable, Sendable, Equatable {
    package var scope: String
    /// At most 5 texts for whoever decides; for the reserved register scopes, `identifier` is the new value.
    package var metadata: [String: String]?
    package var dispatchID: String?

    package init(scope: String, metadata: [String: String]? = nil, dispatchID: String? = nil) {
        self.scope = scope
        self.metadata = metadata
        self.dispatchID = dispatchID
    }

    private enum CodingKeys: String, CodingKey {
        case scope, metadata
        case dispatchID = "dispatch_id"
    }
}

/// What was decided about a scope; open, so that a word of tomorrow survives.
package struct StepUpStatusName: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Granted at once.
    package static let `continue` = StepUpStatusName(rawValue: "continue")
    /// Steps are to be done.
    package static let review = StepUpStatusName(rawValue: "review")
    /// Denied; there is no token.
    package static let block = StepUpStatusName(rawValue: "block")
}

/// The answer to `StepUpRequest`.
package struct StepUpResponse: Codable, Sendable, Equatable {
    package var status: StepUpStatusName
    /// Missing when the scope is denied.
    package var challengeToken: String?

    package init(status: StepUpStatusName, challengeToken: String?) {
        self.status = status
        self.challengeToken = challengeToken
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case challengeToken = "challenge_token"
    }
}

/// `POST /stepup/continue`: reports a custom step, proven by a token of the operator's backend.
package struct ContinueStepUpRequest: Codable, Sendable, Equatable {
    package var challengeToken: String
    package var verificationToken: String

    package init(challengeToken: String, verificationToken: String) {
        self.challengeToken = challengeToken
        self.verificationToken = verificationToken
    }

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
    }
}
