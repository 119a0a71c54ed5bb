import SessionDomain
import SessionWire

extension PasswordCompliancy {
    /// The password rules as both APIs show them.
    init(_ policy: PasswordPolicy) {
        self.init(
            minLength: policy.minLength, maxLength: policy.maxLength, uppercase: policy.uppercase,
            lowercase: policy.lowercase, numbers: policy.numbers, symbols: policy.symbols)
    }
}
