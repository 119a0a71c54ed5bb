/// What a stored counter counts; always within one app, always by the canonical identifier.
package enum CounterKey: Sendable, Equatable {
    case otpStarts(CanonicalIdentifier)
    case otpFailedChecks(CanonicalIdentifier)
    case passwordTries(CanonicalIdentifier)

    /// The key under which stores keep it.
    package var text: String {
        switch self {
        case .otpStarts(let identifier): "otp-start/\(identifier.key)"
        case .otpFailedChecks(let identifier): "otp-failed/\(identifier.key)"
        case .passwordTries(let identifier): "password/\(identifier.key)"
        }
    }
}
