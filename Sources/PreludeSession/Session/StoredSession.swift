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
