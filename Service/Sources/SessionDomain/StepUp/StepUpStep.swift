/// One step of a step-up: a code to an identifier of the user, or a custom step of the operator.
package struct StepUpStep: Sendable, Equatable, Codable {
    /// Steps are completed in this order.
    package var order: Int
    package var key: String
    /// Seconds to complete the step, from the moment it is the next one. 0 means `defaultDuration`.
    package var expirationDuration: Int

    package init(order: Int, key: String, expirationDuration: Int) {
        self.order = order
        self.key = key
        self.expirationDuration = expirationDuration
    }

    package static let verifySMS = "verify_sms"
    package static let verifyEmail = "verify_email"
    package static let maximumDuration = 86_400
    package static let defaultDuration = 600
    /// Maximum number of steps of a challenge.
    package static let maximumCount = 10

    var lifetime: Int { expirationDuration > 0 ? expirationDuration : Self.defaultDuration }

    /// The key of the step whose code goes to this kind of identifier.
    package static func key(for type: IdentifierType) -> String {
        switch type {
        case .phoneNumber: verifySMS
        case .emailAddress: verifyEmail
        }
    }

    /// The kind of identifier that the code is sent to. `nil` for a custom step.
    package var identifierType: IdentifierType? {
        switch key {
        case Self.verifySMS: .phoneNumber
        case Self.verifyEmail: .emailAddress
        default: nil
        }
    }

    /// Whether a key matches `^[a-zA-Z0-9._:-]+$` and has at most 128 characters, as a scope does.
    package static func isWellFormed(key: String) -> Bool { Scope.isWellFormed(key) }
}
