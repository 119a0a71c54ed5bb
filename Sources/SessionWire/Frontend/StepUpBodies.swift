/// `POST /stepup/request`: requests a scope.
public struct StepUpRequest: Codable, Sendable, Equatable {
    public var scope: String
    /// At most 5 texts for the operator's hook. For the reserved register scopes, `identifier` is the new identifier.
    public var metadata: [String: String]?
    public var dispatchID: String?

    public init(scope: String, metadata: [String: String]? = nil, dispatchID: String? = nil) {
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
public struct StepUpStatusName: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The scope is granted.
    public static let `continue` = StepUpStatusName(rawValue: "continue")
    /// The user must complete the steps of the challenge.
    public static let review = StepUpStatusName(rawValue: "review")
    /// The scope is denied. The response has no challenge token.
    public static let block = StepUpStatusName(rawValue: "block")
}

/// The response to `StepUpRequest`.
public struct StepUpResponse: Codable, Sendable, Equatable {
    public var status: StepUpStatusName
    /// `nil` if the scope is denied.
    public var challengeToken: String?
    /// What the passkey signs, if the next step is `verify_passkey`.
    public var passkeyOptions: PasskeyRequestOptions?

    public init(
        status: StepUpStatusName, challengeToken: String?, passkeyOptions: PasskeyRequestOptions? = nil
    ) {
        self.status = status
        self.challengeToken = challengeToken
        self.passkeyOptions = passkeyOptions
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case challengeToken = "challenge_token"
        case passkeyOptions = "public_key_credential_request_options"
    }
}

/// `POST /stepup/continue`: completes a custom step with a token that the operator's backend signed, or the step
/// `verify_passkey` with an assertion. The response is a `ChallengeResponse`.
public struct ContinueStepUpRequest: Codable, Sendable, Equatable {
    public var challengeToken: String
    public var verificationToken: String?
    public var passkeyAssertion: PasskeyAssertion?

    public init(challengeToken: String, verificationToken: String) {
        self.challengeToken = challengeToken
        self.verificationToken = verificationToken
    }

    public init(challengeToken: String, passkeyAssertion: PasskeyAssertion) {
        self.challengeToken = challengeToken
        self.passkeyAssertion = passkeyAssertion
    }

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
        case passkeyAssertion = "passkey_assertion"
    }
}
