/// How to sign in with a credential of the system the app comes from. Safe to print: the credential shows as redacted.
public struct MigrateOptions: Sendable {
    /// The old credential, such as a session token, which the app's backend judges.
    public var token: RedactedString

    /// A login with an old credential.
    ///
    /// - Parameter token: The old credential.
    public init(token: String) { self.token = RedactedString(token) }
}
