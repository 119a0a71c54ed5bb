/// How to start a login with a code.
public struct StartOTPLoginOptions: Sendable {
    /// Where the code goes.
    public var identifier: PreludeIdentifier
    /// A login configuration of the app, `lcfg_…`; `nil` is the default of the identifier's kind.
    public var loginConfigID: String?

    /// A login with a code to this identifier.
    ///
    /// - Parameters:
    ///   - identifier: Where the code goes.
    ///   - loginConfigID: A login configuration of the app; `nil` is the default of the identifier's kind.
    public init(identifier: PreludeIdentifier, loginConfigID: String? = nil) {
        self.identifier = identifier
        self.loginConfigID = loginConfigID
    }
}

/// How to log in with a password. Safe to print: the password shows as redacted.
public struct LoginWithPasswordOptions: Sendable {
    /// The address the user signs in with.
    public var emailAddress: String
    /// Sent once, stored nowhere.
    public var password: RedactedString

    /// A login with this address and password.
    ///
    /// - Parameters:
    ///   - emailAddress: The address the user signs in with.
    ///   - password: Sent once, stored nowhere.
    public init(emailAddress: String, password: String) {
        self.emailAddress = emailAddress
        self.password = RedactedString(password)
    }
}

/// Collects what is known about the device for fraud scoring; its answer goes along as `dispatch_id`.
public protocol PreludeSignalsDispatcher: Sendable {
    /// Sends the signals and answers with the id under which they were received.
    ///
    /// - Throws: Whatever went wrong; the login goes on without an id.
    func dispatchSignals() async throws -> String
}
