/// The kinds of identifiers people sign in with; the raw values are those of the wire.
public enum PreludeIdentifierType: String, Sendable, Hashable, CaseIterable {
    /// E.164, such as `+14155551234`.
    case phoneNumber = "phone_number"
    case emailAddress = "email_address"
}

/// What a person signs in with.
public struct PreludeIdentifier: Sendable, Hashable {
    public var type: PreludeIdentifierType
    public var value: String

    public init(type: PreludeIdentifierType, value: String) {
        self.type = type
        self.value = value
    }
}
