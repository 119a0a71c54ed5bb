/// An identifier of a user: a phone number or an email address.
package struct Identifier: Codable, Sendable, Hashable {
    /// `phone_number` or `email_address`.
    package var type: String
    package var value: String

    package init(type: String, value: String) {
        self.type = type
        self.value = value
    }
}
