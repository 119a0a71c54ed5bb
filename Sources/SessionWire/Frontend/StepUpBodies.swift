/// `POST /stepup/request`: requests a scope.
package struct StepUpRequest: Codable, Sendable, Equatable {
    package var scope: String
    /// At most 5 texts for the operator's hook. For the reserved register scopes, `identifier` is the new identifier.
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

/// The decision about a requested scope. The type is open: clients keep values that a later server version adds.
package struct StepUpStatusName: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The scope is granted.
    package static let `continue` = StepUpStatusName(rawValue: "continue")
    /// The user must complete the steps of the challenge.
    package static let review = StepUpStatusName(rawValue: "review")
    /// The scope is denied. The response has no challenge token.
    package static let block = StepUpStatusName(rawValue: "block")
}

/// The response to `StepUpRequest`.
package struct StepUpResponse: Codable, Sendable, Equatable {
    package var status: StepUpStatusName
    /// `nil` if the scope is denied.
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

/// `POST /stepup/continue`: completes a custom step with a token that the operator's backend signed.
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
