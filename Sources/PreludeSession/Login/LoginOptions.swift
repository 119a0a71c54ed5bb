/// The options of a login with a code.
public struct StartOTPLoginOptions: Sendable, Hashable, Codable {
    /// The recipient of the code.
    public var identifier: PreludeIdentifier
    /// The id of a login configuration, `lcfg_…`. `nil` is the app's default for this type of identifier.
    public var loginConfigID: String?

    /// Creates the options of a login with a code.
    ///
    /// - Parameters:
    ///   - identifier: The recipient of the code.
    ///   - loginConfigID: The id of a login configuration. `nil` is the app's default for this type of identifier.
    public init(identifier: PreludeIdentifier, loginConfigID: String? = nil) {
        self.identifier = identifier
        self.loginConfigID = loginConfigID
    }
}

/// The options of a login with a password. Printing them does not show the password.
public struct LoginWithPasswordOptions: Sendable {
    /// The user's e-mail address.
    public var emailAddress: String
    /// The password. It is sent once and not stored.
    public var password: RedactedString

    /// Creates the options of a login with a password.
    ///
    /// - Parameters:
    ///   - emailAddress: The user's e-mail address.
    ///   - password: The password. It is sent once and not stored.
    public init(emailAddress: String, password: String) {
        self.emailAddress = emailAddress
        self.password = RedactedString(password)
    }
}

/// Collects device signals for fraud detection. The SDK sends the returned id with logins as `dispatch_id`.
public protocol PreludeSignalsDispatcher: Sendable {
    /// Sends the signals and returns the id under which they were received; `nil` for none.
    ///
    /// An implementation need not be asynchronous, and need not throw.
    ///
    /// - Throws: Any error. The login then continues without an id.
    func dispatch() async throws -> String?
}

/// The options of a login with a credential of the app's previous system. Printing them does not show the credential.
public struct MigrateOptions: Sendable {
    /// The old credential, such as a session token. The app's backend validates it.
    public var token: RedactedString

    /// Creates the options of a migration.
    ///
    /// - Parameter token: The old credential.
    public init(token: String) { self.token = RedactedString(token) }
}
