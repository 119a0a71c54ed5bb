internal import Foundation

/// What is known of the session, and which results are still wanted. It decides; the engine acts.
///
/// The *fence* counts logins, logouts and ended sessions. A result of something that began at an older fence is dropped.
/// Logins have a fence of their own, which the end of an old session does not raise: a login in progress stays valid.
struct SessionMachine: Sendable, Equatable {
    enum Knowledge: Sendable, Equatable {
        /// The store was not read yet.
        case unread
        case signedOut
        case signedIn(StoredSession)
    }

    /// What is needed to get a valid access token.
    enum Need: Sendable, Equatable {
        case read
        case signIn
        /// The access token of this session is valid.
        case nothing(StoredSession)
        case refresh(StoredSession)
    }

    /// What the stored session means to a refresh.
    enum StoredState: Sendable, Equatable {
        /// A login or a logout came since. The refresh must stop: the stored token is not its own.
        case overtaken
        /// Another client of the store ended the session.
        case deleted
        case same(StoredSession)
        /// Another client of the store refreshed the session, or signed in again (`isOtherSession`).
        case replaced(StoredSession, isOtherSession: Bool)
    }

    private(set) var knowledge = Knowledge.unread
    private(set) var fence = 0
    private(set) var loginFence = 0
    /// An access token that must be replaced although it has not expired: it was rejected, or is not a token of a user.
    private var invalidated: String?
    /// The lifetime of the session's access token in seconds, read once: each call needs it while the token expires.
    private var tokenLifetime: TimeInterval?

    var session: StoredSession? {
        if case .signedIn(let session) = knowledge { session } else { nil }
    }

    /// - Parameters:
    ///   - serverTime: Now, by the server's clock.
    ///   - margin: Seconds before expiry from which a token counts as expired; less for a short-lived token.
    ///   - lifetime: Seconds for which the token must be valid; less for a short-lived token.
    func need(serverTime: Date, margin: TimeInterval, validFor lifetime: TimeInterval = 0) -> Need {
        switch knowledge {
        case .unread: return .read
        case .signedOut: return .signIn
        case .signedIn(let session):
            let left = session.accessTokenExpiresAt.timeIntervalSince(serverTime)
            let isFresh =
                (left > margin || left > refreshMargin(atMost: margin))
                && (left >= lifetime || left > refreshMargin(atMost: lifetime, share: 2 / 3))
            return isFresh && session.accessToken != invalidated ? .nothing(session) : .refresh(session)
        }
    }

    /// Seconds before expiry from which the access token is refreshed: at most a share of its lifetime.
    ///
    /// With the full margin a short-lived token would count as expired at once, and a scope that the next refresh removes
    /// could never be used.
    private func refreshMargin(atMost margin: TimeInterval, share: Double = 1 / 3) -> TimeInterval {
        guard let tokenLifetime, tokenLifetime > 0 else { return margin }
        return min(margin, tokenLifetime * share)
    }

    /// Compares the stored session with the known one, for a refresh that began at `fence`.
    func compare(stored: StoredSession?, since fence: Int) -> StoredState {
        guard accepts(fence) else { return .overtaken }
        guard let stored else { return .deleted }
        return stored == session ? .same(stored) : .replaced(stored, isOtherSession: !stored.isSameSession(as: session))
    }

    /// Takes over what was read from the store.
    ///
    /// - Returns: `false` if something newer is known by now.
    @discardableResult
    mutating func wasRead(_ session: StoredSession?, since fence: Int) -> Bool {
        guard fence == self.fence, self.session == nil else { return false }
        if let session { know(session) } else { knowledge = .signedOut }
        return true
    }

    /// Whether a result of something that began at `fence` is still wanted.
    func accepts(_ fence: Int) -> Bool { fence == self.fence }

    /// Whether a login that began at `fence` is still wanted.
    func acceptsLogin(_ fence: Int) -> Bool { fence == loginFence }

    /// A logout begins: no login in progress is accepted, although the session still exists.
    mutating func rejectLogins() { loginFence += 1 }

    /// A login succeeded.
    mutating func signedIn(_ session: StoredSession) {
        fence += 1
        loginFence += 1
        invalidated = nil
        know(session)
    }

    /// A refresh succeeded, here or in another client of the store.
    mutating func refreshed(_ session: StoredSession) {
        if session.accessToken != invalidated { invalidated = nil }
        know(session)
    }

    /// A record may have an access token that no call can use. It must not delay the next refresh until it expires.
    private mutating func know(_ session: StoredSession) {
        if !session.hasUsableAccessToken { invalidated = session.accessToken }
        tokenLifetime = session.accessTokenLifetime
        knowledge = .signedIn(session)
    }

    /// The session ended.
    ///
    /// - Parameter byUser: Whether the app asked for it, so that logins in progress are rejected too.
    mutating func signedOut(byUser: Bool = true) {
        fence += 1
        if byUser { loginFence += 1 }
        invalidated = nil
        knowledge = .signedOut
    }

    /// Marks an access token as expired. Has no effect on a token that was replaced meanwhile.
    mutating func invalidate(_ accessToken: String) {
        if session?.accessToken == accessToken { invalidated = accessToken }
    }
}

/// A deletion of the session's record that is not finished, because the store refused it or has not been asked yet.
///
/// Another process may sign in before it is finished. So it deletes the sessions that were signed out, and no newer one.
struct PendingWipe: Sendable, Equatable {
    /// The login fence at the sign-out. A later login of this client has replaced the record.
    var loginFence: Int
    /// The sessions that were known and stored at the sign-out.
    let sessions: [StoredSession]
    /// Whether the record could be read at the sign-out.
    let isComplete: Bool
    /// Why the session ended. After a logout the server must revoke what is deleted.
    let reason: PreludeSignOutReason

    /// Whether it deletes a stored session.
    ///
    /// A record that could not be read at the sign-out is not known. It is deleted, because the user asked for it.
    func covers(_ stored: StoredSession) -> Bool {
        !isComplete || sessions.contains { $0.isSameSession(as: stored) }
    }

    /// Whether a stored session must still be queued for revocation. A logout has queued the sessions that it could read, but
    /// another process may have refreshed one of them since.
    func mustRevoke(_ stored: StoredSession) -> Bool {
        reason == .logout && !sessions.contains { $0.isSameSession(as: stored) && $0.hasSameRefreshToken(as: stored) }
    }
}
