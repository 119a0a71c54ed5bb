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
        "may_act", "auth_time", "acr", "amr", "azp", "nonce", "events", "roles", "groups", "entitlements",
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
