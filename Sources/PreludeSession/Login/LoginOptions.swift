/// How to start a login with a code.
public struct StartOTPLoginOptions: Sendable {
    public var identifier: PreludeIdentifier
    /// A login configuration of the app, `lcfg_…`; `nil` is the default of the identifier's kind.
    public var loginConfigID: String?

    public init(identifier: PreludeIdentifier, loginConfigID: String? = nil) {
        self.identifier = identifier
        self.loginConfigID = loginConfigID
    }
}

/// How to log in with a password. Safe to print: the password shows as redacted.
public struct LoginWithPasswordOptions: Sendable {
    public var emailAddress: String
    public var password: RedactedString

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
