internal import Foundation
internal import SessionTokens
internal import SessionWire

/// The record of a session: its tokens and when they expire.
struct StoredSession: VersionedRecord, Equatable {
    static let recordName = RecordName.session
    static let dateFormat = RecordDateFormat.unixTime

    var version = StoredSession.currentVersion
    var refreshToken: String
    var refreshTokenExpiresAt: Date?
    var accessToken: String
    /// By the server's clock.
    var accessTokenExpiresAt: Date
    /// The attempts of earlier rotations whose records may still have to be deleted.
    var spentAttempts: [String]?
    /// The identifiers of the user as far as they are known: what the user signed in with, or what the service has said.
    var identifiers: [Identifier]?

    /// - Throws: `.storageUnavailable` for a record that this version of the SDK cannot read. It is never treated as
    ///   "signed out".
    static func decode(_ data: Data) throws -> StoredSession {
        try RecordContent<StoredSession>(data).record(
            orThrow: .storageUnavailable(
                "the stored session is damaged; sign in again to replace it, or sign out to delete it"))
    }
}

extension StoredSession {
    /// `ses_…`, from the access token.
    var sessionID: String? { (try? PreludeProfile(accessToken: accessToken))?.sessionID }

    /// Whether the access token is a JWT of a user, so that calls can use it.
    var hasUsableAccessToken: Bool { (try? PreludeUser(accessToken: accessToken)) != nil }

    func isSameSession(as other: StoredSession?) -> Bool { sessionID == other?.sessionID }

    func hasSameTokens(as other: StoredSession) -> Bool {
        refreshToken == other.refreshToken && accessToken == other.accessToken
    }

    /// Whether a record that was read again has the refresh token of this one.
    func hasSameRefreshToken(as other: StoredSession?) -> Bool { refreshToken == other?.refreshToken }

    /// The ids of user and session, for log entries.
    var logAttributes: [PreludeSessionLogAttribute?] {
        let profile = try? PreludeProfile(accessToken: accessToken)
        return [.identifier("user", profile?.userID), .identifier("session", profile?.sessionID)]
    }

    private var accessClaims: JSONObject? { (try? JWT.unverifiedClaims(of: accessToken)).map(JSONObject.init) }

    /// The scopes in the access token's `scope` claim.
    var scopes: Set<Substring> { Self.scopes(of: accessToken) }

    /// The scopes in the `scope` claim of an access token.
    static func scopes(of accessToken: String) -> Set<Substring> {
        let claims = (try? JWT.unverifiedClaims(of: accessToken)).map(JSONObject.init)
        return Set((try? claims?.stringIfPresent("scope"))?.split(separator: " ") ?? [])
    }

    /// From the access token's issue to its expiry, in seconds; `nil` without an `iat`.
    ///
    /// The service sets `iat` back. A server that does not may issue tokens that live shorter than that.
    var accessTokenLifetime: TimeInterval? {
        (try? accessClaims?.numberIfPresent("iat")).map { issuedAt in
            let measured = accessTokenExpiresAt.timeIntervalSince1970 - issuedAt
            let backdating = TimeInterval(IssueTime.backdating)
            return measured > backdating ? measured - backdating : measured
        }
    }
}

/// Why the last session ended on this device. The next login deletes it.
struct SignOutRecord: VersionedRecord, Equatable {
    static let recordName = RecordName.signOut

    var version = SignOutRecord.currentVersion
    let reason: String
}

/// What the store has of a session: the session, or the reason why the last one ended.
struct StoredSessionOrEnd: Sendable {
    let session: StoredSession?
    let reason: PreludeSignOutReason?
}

extension RecordStore {
    /// The stored session, or the reason why the last one ended.
    ///
    /// - Throws: `.storageUnavailable` for a session that cannot be read.
    func sessionOrEnd() async throws -> StoredSessionOrEnd {
        if let session = try await session() { return StoredSessionOrEnd(session: session, reason: nil) }
        guard case .valid(let record)? = try? await read(SignOutRecord.self) else {
            return StoredSessionOrEnd(session: nil, reason: nil)
        }
        return StoredSessionOrEnd(session: nil, reason: PreludeSignOutReason(rawValue: record.reason))
    }

    /// Stores why a session ends, before its record is deleted. A store that refuses it must not keep a session.
    func keep(_ reason: PreludeSignOutReason) async {
        try? await write(SignOutRecord(reason: reason.rawValue))
    }
}

/// The response to a login's last request and to a refresh.
struct IssuedTokens: Sendable {
    /// The session that the response describes. Its access token may be invalid, see `checkedSession()`.
    let session: StoredSession
    /// Whether the login with this response created the user. `false` if the service does not say it.
    let isNewUser: Bool
    private let tokenType: String?

    /// - Parameter previous: The session of a refresh. Its refresh token stays valid if the response has no new one: the server
    ///   does not rotate it, or a proxy has removed it.
    /// - Throws: `.refreshFailed` for a response without tokens.
    init(_ response: APIResponse, previous: StoredSession?) throws {
        let newToken = response.header(HeaderName.refreshToken).flatMap { $0.isEmpty ? nil : $0 }
        guard let body = try? JSONDecoder().decode(TokenResponse.self, from: response.body),
            let refreshToken = newToken ?? previous?.refreshToken
        else { throw PreludeSessionError.refreshFailed("the server's response contains no tokens") }
        let expiresAt = response.header(HeaderName.refreshTokenExpiresAt).flatMap { try? Date($0, strategy: .iso8601) }
        session = StoredSession(
            refreshToken: refreshToken,
            refreshTokenExpiresAt: expiresAt ?? (newToken == nil ? previous?.refreshTokenExpiresAt : nil),
            accessToken: body.accessToken,
            accessTokenExpiresAt: Date(timeIntervalSince1970: Double(body.expiresAt)))
        isNewUser = body.isNewUser ?? false
        tokenType = body.tokenType
    }

    /// The session, if its access token can be used.
    ///
    /// - Throws: `.refreshFailed` for a token that is not a JWT of a user, or that contradicts `token_type`. Nothing of such a
    ///   response may be stored: without a request until the token expires, the session could not recover.
    func checkedSession() throws -> StoredSession {
        guard AccessTokenBinding.matches(tokenType: tokenType, accessToken: session.accessToken) else {
            throw PreludeSessionError.refreshFailed("token_type in the response does not match the access token")
        }
        _ = try PreludeUser(accessToken: session.accessToken)
        return session
    }
}

/// An access token, and what its requests need to know about it: whether it is a bearer token or bound to a key (RFC 9449
/// §6.1).
///
/// The token's own `cnf` claim decides. It travels with the token through records of every version. The value is computed
/// once for a token, because each request needs it.
struct AccessTokenBinding: Sendable {
    let accessToken: String
    /// The RFC 7638 thumbprint of the key that the token is bound to; `nil` for a bearer token.
    let keyThumbprint: String?
    /// The `Authorization` value of the token's kind (RFC 6750 §2.1, RFC 9449 §7.1).
    let authorization: String
    /// The hash of the token in proofs (RFC 9449 §4.2).
    let hash: String

    init(_ accessToken: String) {
        self.accessToken = accessToken
        keyThumbprint = Self.keyThumbprint(of: accessToken)
        authorization = (keyThumbprint == nil ? "Bearer " : "DPoP ") + accessToken
        hash = DPoPProof.accessTokenHash(accessToken)
    }

    var isBound: Bool { keyThumbprint != nil }

    private static func keyThumbprint(of accessToken: String) -> String? {
        guard let claims = try? JWT.unverifiedClaims(of: accessToken), case .object(let confirmation) = claims["cnf"]
        else { return nil }
        return confirmation["jkt"]?.stringValue
    }

    /// Whether the `token_type` of a response matches its token. A token of an unknown type must not be used (RFC 6749
    /// §7.1). Servers with one type only may send none.
    fileprivate static func matches(tokenType: String?, accessToken: String) -> Bool {
        guard let tokenType else { return true }
        return tokenType.lowercased() == (keyThumbprint(of: accessToken) == nil ? "bearer" : "dpop")
    }
}
