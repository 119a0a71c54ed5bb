package import SessionTokens

/// Claims that an app adds to its access tokens. They are resolved for each token.
package struct ClaimsConfig: Sendable, Equatable, Codable {
    package var mapping: [String: ClaimSource]
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(mapping: [String: ClaimSource], at time: Timestamp) {
        self.mapping = mapping
        createdAt = time
        updatedAt = time
    }

    /// The maximum number of claims of one app.
    package static let maximumCount = 30
    /// Bytes of the name of a claim.
    package static let maximumNameSize = 64

    /// Whether the name of a claim can be shown and entered on one line.
    package static func isOneLine(_ name: String) -> Bool { DisplayName.isOneLine(name) }

    /// Claims that the service sets or that are registered. A mapping never overrides them.
    package static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "scope", "client_id", "cnf", "cc", "typ", "act",
        "may_act", "auth_time", "acr", "amr", "azp", "has_passkey", "nonce", "events", "roles", "groups",
        "entitlements",
    ]

    /// The maximum size of all claims in bytes, so that no token is too long for verifiers.
    package static let maximumSize = 3072

    /// Resolves the claims for a user and a client. Values that exceed `maximumSize` become null.
    ///
    /// - Parameter copies: How often the token has the claims. They share the maximum size.
    package func resolve(
        user: User, client: ClientFacts, at now: Timestamp, copies: Int = 1
    ) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        var remaining = Self.maximumSize / copies
        for (name, source) in mapping.sorted(by: { $0.key < $1.key }) {
            let value = source.resolve(user: user, client: client, at: now)
            let size = (try? TokenJSON.encode(value).count) ?? Self.maximumSize
            claims[name] = size <= remaining ? value : .null
            if size <= remaining { remaining -= size }
        }
        return claims
    }
}

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
