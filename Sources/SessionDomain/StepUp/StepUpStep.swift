/// One step of a step-up: a code to an identifier of the user, or a step of the operator's own.
package struct StepUpStep: Sendable, Equatable, Codable {
    /// Steps are done in this order.
    package var order: Int
    package var key: String
    /// Seconds from the moment the step is the next one; 0 takes `defaultDuration`.
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
    /// Steps of one challenge at most.
    package static let maximumCount = 10

    var lifetime: Int { expirationDuration > 0 ? expirationDuration : Self.defaultDuration }

    /// The kind of identifier a code goes to; `nil` for a step of the operator's own.
    package var identifierType: IdentifierType? {
        switch key {
        case Self.verifySMS: .phoneNumber
        case Self.verifyEmail: .emailAddress
        default: nil
        }
    }

    /// A key's spelling: `^[a-zA-Z0-9._:-]+$`, at most 128 characters; the same alphabet as a scope's.
    package static func isWellFormed(key: String) -> Bool { Scope.isWellFormed(key) }
}
