/// An identifier of a user: a phone number or an email address.
public struct Identifier: Codable, Sendable, Hashable {
    /// `phone_number` or `email_address`.
    public var type: String
    public var value: String

    public init(type: String, value: String) {
        self.type = type
        self.value = value
    }
}
