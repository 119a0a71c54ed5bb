internal import Foundation
package import SessionTokens

/// The tokens of one response.
package struct IssuedTokens: Sendable, Equatable {
    package let accessToken: String
    package let accessTokenExpiresAt: Timestamp
    /// Whether the access token requires a proof.
    package let isBound: Bool
    package let refreshToken: String
    package let refreshTokenExpiresAt: Timestamp
    package let session: Session
    /// The nonce for the next proof, if this client must use one (RFC 9449 §8.2).
    package let nextNonce: String?
    /// The token of the device as a known one, after a login.
    package var knownDevice: String?
    /// Whether the login created the user. `nil` after a refresh.
    package var isNewUser: Bool?
}

/// Issues all tokens of sessions, so that every token meets the same conditions.
struct TokenIssuer: Sendable {
    let keys: KeyRing
    let environment: ServiceEnvironment

    /// - Parameters:
    ///   - grants: The grants of the user. Only those that cover this session are used.
    ///   - client: The client, for the claims that the app maps.
    func issue(
        app: AppRuntime, session: Session, user: User, grants: [Grant], client: ClientFacts, now: Timestamp
    ) throws -> IssuedTokens {
        let claims = try claims(
            app: app, mapping: app.settings.claims, session: session, user: user, grants: grants, client: client,
            now: now)
        let token = RefreshToken(sessionID: session.id, generation: session.generation)
        let usesNonces = session.demandsNonce || app.settings.sessions.noncePolicy == .always
        return IssuedTokens(
            accessToken: try JWT.sign(
                payload: claims.json, type: TokenType.accessToken, key: app.accessKey),
            accessTokenExpiresAt: Timestamp(seconds: claims.exp), isBound: claims.cnf != nil,
            refreshToken: token.encoded(app: app.settings.id, keys: keys), refreshTokenExpiresAt: session.expiresAt,
            session: session, nextNonce: usesNonces ? app.nonces.current(at: now.seconds) : nil)
    }

    /// What the next access token contains.
    ///
    /// - Parameter mapping: The claims that the app maps, or those that it may get.
    func claims(
        app: AppRuntime, mapping: ClaimsConfig?, session: Session, user: User, grants: [Grant], client: ClientFacts,
        now: Timestamp
    ) throws -> AccessTokenClaims {
        try user.requireActive()
        let policy = app.settings.sessions
        // An app that requires bound tokens gets no unbound token (RFC 9449 §5.2).
        guard policy.admits(keyThumbprint: session.keyThumbprint) else { throw Refusal.missingProof }
        let access = EffectiveScopes(app: app.settings, session: session, grants: grants, now: now)
        // A token ends with the first of its grants.
        let expiresAt = ([now + policy.accessTokenLifetime, session.expiresAt] + access.ends).min() ?? now
        let begin = now.seconds - IssueTime.backdating
        var claims = AccessTokenClaims(
            iss: app.issuer, aud: app.settings.id.rawValue, sub: user.id, sid: session.id,
            clientID: app.settings.id.rawValue,
            jti: Base64URL.encode(environment.randomBytes(16)), iat: begin, nbf: begin,
            exp: expiresAt.seconds, scope: access.scopes.isEmpty ? nil : access.scopes.joined(separator: " "))
        claims.amr = session.method?.references
        claims.hasPasskey = user.hasPasskey
        if policy.accessTokenBinding == .dpop { claims.cnf = session.keyThumbprint.map(Confirmation.init) }
        // Only browsers that make no proofs have sessions without a key.
        claims.repeatsMapped = session.keyThumbprint == nil
        claims.mapped =
            mapping?.resolve(user: user, client: client, at: now, copies: claims.repeatsMapped ? 2 : 1) ?? [:]
        return claims
    }
}

/// The scopes of a session's next access token, from its login and from grants. They are computed for each token, so no
/// token carries a scope that was unregistered.
struct EffectiveScopes: Equatable {
    /// Sorted, without duplicates.
    let scopes: [String]
    /// The expiry times of the grants among them.
    let ends: [Timestamp]

    /// - Parameter app: Is copied for few tokens only.
    init(app: @autoclosure () -> App, session: Session, grants: [Grant], now: Timestamp) {
        // Most sessions have neither, and sets cost more than the rest of a token.
        if session.scopes.isEmpty, grants.isEmpty {
            (scopes, ends) = ([], [])
            return
        }
        let app = app()
        let registered = Set(app.scopes)
        let grantable = app.grantableScopes
        // Tokens carry whole seconds. A grant that ends within this second would make a token that has expired already.
        let good = grants.filter {
            $0.covers(session, at: now) && $0.expiresAt.seconds > now.seconds && grantable.contains($0.scope)
        }
        scopes = registered.intersection(session.scopes).union(good.map(\.scope)).sorted()
        ends = good.map(\.expiresAt)
    }
}

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
    /// How the user signed in (RFC 8176). Absent if it is not known.
    package var amr: [String]?
    /// Whether the user has a passkey. Absent if not.
    package var hasPasskey = false
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
        case iss, aud, sub, sid, jti, iat, nbf, exp, scope, amr, cnf
        case clientID = "client_id"
    }

    /// The JSON of the token. It is signed with every refresh, so no encoder writes it, and without mapped claims no
    /// dictionary is made.
    var json: Data {
        guard mapped.isEmpty, !repeatsMapped else { return TokenJSON.write(members) }
        return TokenJSON.writeSorted { claims in
            if let amr { claims.member("amr", strings: amr) }
            claims.member("aud", aud)
            claims.member("client_id", clientID)
            if let cnf { claims.member("cnf", object: { $0.member("jkt", cnf.jkt) }) }
            claims.member("exp", exp)
            if hasPasskey { claims.member("has_passkey", true) }
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
        if let amr { members["amr"] = .array(amr.map(JSONValue.string)) }
        if hasPasskey { members["has_passkey"] = .bool(true) }
        if let cnf { members["cnf"] = .object(["jkt": .string(cnf.jkt)]) }
        return members
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

/// A refresh token: session, generation, and a MAC over both. It is not stored.
///
/// The MAC is a function of its inputs. So the successor of a token can be computed again for a lost answer, and a
/// forged token costs no look-up.
package struct RefreshToken: Sendable, Equatable {
    package let sessionID: String
    package let generation: Int64

    package init(sessionID: String, generation: Int64) {
        self.sessionID = sessionID
        self.generation = generation
    }

    package func encoded(app: AppID, keys: KeyRing) -> String {
        let (keyID, mac) = keys.refreshTokenMAC(message(app: app))
        return "\(sessionID).\(generation).\(keyID).\(mac)"
    }

    /// Reads a token of this app. `nil` for any text that this service did not issue.
    package init?(_ text: String, app: AppID, keys: KeyRing) {
        guard text.utf8.count <= 256 else { return nil }
        var rest = text[...]
        guard let session = Self.next(of: &rest), let digits = Self.next(of: &rest), let keyID = Self.next(of: &rest),
            let generation = Int64(digits), generation >= 0, String(generation) == digits
        else { return nil }
        sessionID = String(session)
        self.generation = generation
        guard keys.isRefreshTokenMAC(String(rest), keyID: String(keyID), for: message(app: app)) else { return nil }
    }

    /// Takes the part before the next dot.
    private static func next(of text: inout Substring) -> Substring? {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        defer { text = text[text.utf8.index(after: dot)...] }
        return text[..<dot]
    }

    private func message(app: AppID) -> String { "\(app)\0\(sessionID)\0\(generation)" }
}
