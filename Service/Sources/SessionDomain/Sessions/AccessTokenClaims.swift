internal import Foundation
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
    /// Whether `cc` repeats the mapped claims, for apps of the older web generation.
    package var repeatsMapped = false

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

    /// The JSON of the token. It is signed with every refresh, so no encoder writes it, and without mapped claims no
    /// dictionary is made.
    var json: Data {
        guard mapped.isEmpty, !repeatsMapped else { return TokenJSON.write(members) }
        return TokenJSON.writeSorted { claims in
            claims.member("aud", aud)
            claims.member("client_id", clientID)
            if let cnf { claims.member("cnf", object: { $0.member("jkt", cnf.jkt) }) }
            claims.member("exp", exp)
            claims.member("iat", iat)
            claims.member("iss", iss)
            claims.member("jti", jti)
            claims.member("nbf", nbf)
            claims.member("scope", scope)
            claims.member("sid", sid)
            claims.member("sub", sub)
        }
    }

    private var members: [String: JSONValue] {
        // A mapped claim never replaces a claim of the service, whatever the configuration contains.
        var members = mapped.filter { !ClaimsConfig.reserved.contains($0.key) }
        if repeatsMapped { members["cc"] = .object(members) }
        members["iss"] = .string(iss)
        members["aud"] = .string(aud)
        members["sub"] = .string(sub)
        members["sid"] = .string(sid)
        members["client_id"] = .string(clientID)
        members["jti"] = .string(jti)
        members["iat"] = .int(iat)
        members["nbf"] = .int(nbf)
        members["exp"] = .int(exp)
        if let scope { members["scope"] = .string(scope) }
        if let cnf { members["cnf"] = .object(["jkt": .string(cnf.jkt)]) }
        return members
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}
