internal import SessionWire

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
