/// What a stored counter counts; always within one app, identifiers in their canonical form.
package enum CounterKey: Hashable, Sendable {
    case otpStarts(CanonicalIdentifier)
    case otpFailedChecks(CanonicalIdentifier)
    case passwordTries(CanonicalIdentifier)
    case stepUps(userID: String)

    /// The key under which stores keep it.
    package var text: String {
        switch self {
        case .otpStarts(let identifier): "otp-start/\(identifier.key)"
        case .otpFailedChecks(let identifier): "otp-failed/\(identifier.key)"
        case .passwordTries(let identifier): "password/\(identifier.key)"
        case .stepUps(let userID): "step-up/\(userID)"
        }
    }
}
