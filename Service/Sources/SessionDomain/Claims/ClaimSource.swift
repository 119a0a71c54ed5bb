package import SessionTokens

/// Where a claim's value comes from.
package enum ClaimSource: Sendable, Equatable, Codable {
    case literal(JSONValue)
    case input(ClaimInput, as: ClaimType?)
    /// A key of the user's profile.
    case customClaim(String)

    func resolve(user: User, client: ClientFacts, at now: Timestamp) -> JSONValue {
        switch self {
        case .literal(let value): value
        case .customClaim(let key): user.profile[key] ?? .null
        case .input(let input, let type): Self.convert(input.value(user: user, client: client, at: now), to: type)
        }
    }

    /// Converts a list to its first element, or a text to a list with one element. A missing value stays null.
    private static func convert(_ value: JSONValue, to type: ClaimType?) -> JSONValue {
        switch (type, value) {
        case (.string, .array(let values)): values.first ?? .null
        case (.array, .string): .array([value])
        default: value
        }
    }
}

/// Values that a mapping can refer to. The raw values appear on the wire.
package enum ClaimInput: String, Sendable, Codable, CaseIterable {
    case userID = "user_id"
    case ip
    case countryCode = "country_code"
    case locales
    case emails
    case phoneNumbers = "phone_numbers"

    func value(user: User, client: ClientFacts, at now: Timestamp) -> JSONValue {
        switch self {
        case .userID: .string(user.id)
        case .ip: Self.text(client.ip)
        case .countryCode: Self.text(client.countryCode)
        case .locales: Self.list(client.locales)
        case .emails: Self.identifiers(of: user, .emailAddress, at: now)
        case .phoneNumbers: Self.identifiers(of: user, .phoneNumber, at: now)
        }
    }

    private static func text(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }

    /// Without held identifiers: backends that read the claim may send codes or mail to them.
    private static func identifiers(of user: User, _ type: IdentifierType, at now: Timestamp) -> JSONValue {
        list(user.establishedIdentifiers(at: now).filter { $0.type == type }.map(\.value))
    }

    private static func list(_ values: [String]) -> JSONValue {
        values.isEmpty ? .null : .array(values.map(JSONValue.string))
    }
}

package enum ClaimType: String, Sendable, Codable, CaseIterable {
    case string
    case array
}
