/// Scopes that the service itself requires.
package enum ReservedScope {
    private static let prefix = "prld:"
    /// Change the password.
    package static let writePassword = "prld:pwd:write"
    /// Add a phone number to the user.
    package static let registerPhone = "prld:phone:register"
    /// Add an e-mail address to the user.
    package static let registerEmail = "prld:email:register"

    /// Whether a scope has the prefix of the service. An operator cannot define such a scope.
    package static func isReserved(_ scope: String) -> Bool { scope.hasPrefix(prefix) }

    /// The kind of identifier that a scope registers; `nil` for every other scope.
    package static func registered(by scope: String) -> IdentifierType? {
        switch scope {
        case registerPhone: .phoneNumber
        case registerEmail: .emailAddress
        default: nil
        }
    }

    /// Seconds after a login in which its session registers an identifier without a code to an existing one.
    package static let freshLogin = 600

    /// Seconds for which a reserved scope of a login lasts. Other scopes of a login last as long as the session.
    package static let lifetimeFromLogin = 600
}
