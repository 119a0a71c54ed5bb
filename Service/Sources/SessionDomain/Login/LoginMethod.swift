/// How a user signed in, as events report it.
package enum LoginMethod: String, Sendable, Codable, CaseIterable {
    case smsCode = "otp_sms"
    case emailCode = "otp_email"
    case password
    case migration

    /// Whether the user read a code that was sent to an identifier.
    var hasCode: Bool { self == .smsCode || self == .emailCode }

    /// The method of a code that was sent to an identifier of this type.
    package init(codeTo type: IdentifierType) {
        switch type {
        case .phoneNumber: self = .smsCode
        case .emailAddress: self = .emailCode
        }
    }
}
