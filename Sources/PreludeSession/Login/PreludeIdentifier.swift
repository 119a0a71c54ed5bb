/// The kinds of identifiers people sign in with; the raw values are those of the wire.
public enum PreludeIdentifierType: String, Sendable, Hashable, CaseIterable {
    /// A phone number in the international form of ITU-T E.164, such as `+14155551234`.
    case phoneNumber = "phone_number"
    /// An address such as `ada@example.com`; upper and lower case are the same.
    case emailAddress = "email_address"
}

/// What a person signs in with.
public struct PreludeIdentifier: Sendable, Hashable {
    /// What kind of identifier it is.
    public var type: PreludeIdentifierType
    /// The number or address, as its owner writes it.
    public var value: String

    /// An identifier of a kind.
    ///
    /// - Parameters:
    ///   - type: What kind of identifier it is.
    ///   - value: The number or address, as its owner writes it.
    public init(type: PreludeIdentifierType, value: String) {
        self.type = type
        self.value = value
    }
}
