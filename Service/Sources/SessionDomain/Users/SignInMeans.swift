/// What users sign in with, to count those that have it.
package struct SignInMeans: Sendable, Equatable {
    /// The users have an identifier of this type. `nil`: with and without one.
    package var identifier: IdentifierType?
    /// The users have no identifier of this type. `nil`: with and without one.
    package var missing: IdentifierType?
    /// `true`: the users have a password. `false`: they have none, or no e-mail address to sign in with it. `nil`: all users.
    package var password: Bool?

    package init(identifier: IdentifierType? = nil, missing: IdentifierType? = nil, password: Bool? = nil) {
        self.identifier = identifier
        self.missing = missing
        self.password = password
    }
}
