/// What a stored counter counts; always within one app, identifiers in their canonical form.
package enum CounterKey: Sendable, Equatable {
    case otpStarts(CanonicalIdentifier)
    case otpFailedChecks(CanonicalIdentifier)
    case passwordTries(CanonicalIdentifier)
    case stepUps(userID: String)

    /// The key of the counter in the store.
    package var text: String {
        switch self {
        case .otpStarts(let identifier): "otp-start/\(identifier.key)"
        case .otpFailedChecks(let identifier): "otp-failed/\(identifier.key)"
        case .passwordTries(let identifier): "password/\(identifier.key)"
        case .stepUps(let userID): "step-up/\(userID)"
        }
    }
}
