/// What a user is known by: a phone number or an e-mail address.
package struct Identifier: Codable, Sendable, Hashable {
    /// `phone_number` or `email_address`.
    package var type: String
    package var value: String

    package init(type: String, value: String) {
        self.type = type
        self.value = value
    }
}
