internal import SessionWire

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

/// The types of identifiers that users sign in with. Raw values are sent to the server.
public enum PreludeIdentifierType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A phone number in E.164 format, such as `+14155551234`.
    case phoneNumber = "phone_number"
    /// An e-mail address such as `ada@example.com`. Case is ignored.
    case emailAddress = "email_address"
}

/// A phone number or an e-mail address that a user signs in with.
public struct PreludeIdentifier: Sendable, Hashable, Codable {
    /// The type.
    public var type: PreludeIdentifierType
    /// The number or address, as the user typed it.
    public var value: String

    /// Creates an identifier.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - value: The number or address, as the user typed it.
    public init(type: PreludeIdentifierType, value: String) {
        self.type = type
        self.value = value
    }
}

extension PreludeIdentifier {
    /// `nil` for a type that this version of the SDK does not know.
    init?(_ identifier: Identifier) {
        guard let type = PreludeIdentifierType(rawValue: identifier.type) else { return nil }
        self.init(type: type, value: identifier.value)
    }
}

extension Identifier {
    init(_ identifier: PreludeIdentifier) { self.init(type: identifier.type.rawValue, value: identifier.value) }
}

/// A secret text that `print`, `dump` and debuggers show as `<redacted>`.
public struct RedactedString: Sendable, Hashable {
    /// The secret.
    public var value: String

    /// Wraps a secret.
    ///
    /// - Parameter value: The secret.
    public init(_ value: String) { self.value = value }
}

extension RedactedString: ExpressibleByStringLiteral {
    /// Wraps a literal, as tests and previews use it.
    public init(stringLiteral value: String) { self.init(value) }
}

extension RedactedString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
