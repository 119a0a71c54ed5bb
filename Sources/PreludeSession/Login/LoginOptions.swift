/// How to start a login with a code.
public struct StartOTPLoginOptions: Sendable {
    /// Where the code goes.
    public var identifier: PreludeIdentifier
    /// A login configuration of the app, `lcfg_…`; `nil` is the default of the identifier's kind.
    public var loginConfigID: String?

    /// A login with a code to this identifier.
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
    public init(emailAddress: String, password: String) {
        self.emailAddress = emailAddress
        self.password = RedactedString(password)
    }
}

/// Collects what is known about the device for fraud scoring; its answer goes along as `dispatch_id`.
public protocol PreludeSignalsDispatcher: Sendable {
    /// Sends the signals and answers with the id under which they were received.
    func dispatchSignals() async throws -> String
}
