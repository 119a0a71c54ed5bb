package import SessionTokens

/// The key that an access token is bound to (RFC 7800 §3.1).
package struct Confirmation: Codable, Sendable, Equatable {
    /// RFC 7638 thumbprint of the DPoP key (RFC 9449 §6.1).
    package let jkt: String

    package init(jkt: String) { self.jkt = jkt }
}

/// The claims of an access token (RFC 9068 §2.2, with a bare host as issuer).
package struct AccessTokenClaims: Codable, Sendable, Equatable {
    package var iss: String
    package var aud: String
    package var sub: String
    package var sid: String
    package var clientID: String
    package var jti: String
    package var iat: Int64
    package var nbf: Int64
    package var exp: Int64
    /// Space-separated (RFC 8693 §4.2); absent when there is none.
    package var scope: String?
    /// Absent in a bearer token.
    package var cnf: Confirmation?
    /// Claims that the app maps. They are written, and not read back.
    package var mapped: [String: JSONValue] = [:]

    /// Seconds by which `nbf` may lie in the future (RFC 7519 §4.1.5), because another node wrote it by its own clock.
    /// The verifier for backends has the same default.
    package static let leeway: Int64 = 5

    /// Whether the token is valid at this time.
    ///
    /// There is no leeway for `exp` (RFC 7519 §4.1.4). A token that ends early costs a refresh; a token that ends late
    /// may have been revoked.
    func areTimely(at now: Timestamp) -> Bool { nbf <= now.seconds + Self.leeway && now.seconds < exp }

    package func has(scope name: String) -> Bool {
        scope?.split(separator: " ").contains { $0 == name } ?? false
    }

    private enum CodingKeys: String, CodingKey {
        case iss, aud, sub, sid, jti, iat, nbf, exp, scope, cnf
        case clientID = "client_id"
    }

    private struct MappedKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var others = encoder.container(keyedBy: MappedKey.self)
        for (name, value) in mapped {
            // A mapped claim never replaces a claim of the service, whatever the configuration contains.
            guard !ClaimsConfig.reserved.contains(name), let key = MappedKey(stringValue: name) else { continue }
            try others.encode(value, forKey: key)
        }
        var claims = encoder.container(keyedBy: CodingKeys.self)
        try claims.encode(iss, forKey: .iss)
        try claims.encode(aud, forKey: .aud)
        try claims.encode(sub, forKey: .sub)
        try claims.encode(sid, forKey: .sid)
        try claims.encode(clientID, forKey: .clientID)
        try claims.encode(jti, forKey: .jti)
        try claims.encode(iat, forKey: .iat)
        try claims.encode(nbf, forKey: .nbf)
        try claims.encode(exp, forKey: .exp)
        try claims.encodeIfPresent(scope, forKey: .scope)
        try claims.encodeIfPresent(cnf, forKey: .cnf)
    }
}
