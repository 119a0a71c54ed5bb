internal import Foundation

/// What is known of the session, and what may still be believed; a plain value that decides and never acts.
///
/// The fence counts logins, logouts and ends of sessions. Whatever began before one of them carries the older count, and
/// its answer is not taken. Logins have a fence of their own, which the end of an old session leaves alone: it is no
/// reason to throw away a right code.
struct SessionMachine: Sendable, Equatable {
    enum Knowledge: Sendable, Equatable {
        /// The store was not read yet, or could not be.
        case unread
        case signedOut
        case signedIn(StoredSession)
    }

    /// What a caller who wants a good access token needs.
    enum Need: Sendable, Equatable {
        case read
        case signIn
        case nothing(StoredSession)
        case refresh(StoredSession)
    }

    private(set) var knowledge = Knowledge.unread
    private(set) var fence = 0
    private(set) var loginFence = 0
    /// An access token that is not to be used any more although its time is not up.
    private var invalidated: String?

    var session: StoredSession? {
        if case .signedIn(let session) = knowledge { session } else { nil }
    }

    /// - Parameters:
    ///   - serverTime: Now, by the server's clock.
    ///   - margin: Seconds before its end from which a token counts as spent; less for a token that lives short.
    func need(serverTime: Date, margin: TimeInterval) -> Need {
        switch knowledge {
        case .unread: return .read
        case .signedOut: return .signIn
        case .signedIn(let session):
            let left = session.accessTokenExpiresAt.timeIntervalSince(serverTime)
            let isFresh = left > margin || left > session.refreshMargin(atMost: margin)
            return isFresh && session.accessToken != invalidated ? .nothing(session) : .refresh(session)
        }
    }

    /// Takes what was read from the store, unless something newer is known by now; whether it was taken.
    @discardableResult
    mutating func wasRead(_ session: StoredSession?, since fence: Int) -> Bool {
        guard fence == self.fence, self.session == nil else { return false }
        knowledge = session.map(Knowledge.signedIn) ?? .signedOut
        return true
    }

    /// What is known is not what is stored any more: another client has replaced it.
    mutating func forget() { knowledge = .unread }

    /// Whether an answer to something that began at `fence` may still be taken.
    func accepts(_ fence: Int) -> Bool { fence == self.fence }

    /// Whether a login that began at `fence` may still be taken.
    func acceptsLogin(_ fence: Int) -> Bool { fence == loginFence }

    /// Somebody wants to sign out: no login that is under way may be taken, though the session is still here.
    mutating func refuseLogins() { loginFence += 1 }

    /// A login succeeded.
    mutating func signedIn(_ session: StoredSession) {
        fence += 1
        loginFence += 1
        invalidated = nil
        knowledge = .signedIn(session)
    }

    /// A refresh succeeded, or another client's was found in the store.
    mutating func refreshed(_ session: StoredSession) {
        if session.accessToken != invalidated { invalidated = nil }
        knowledge = .signedIn(session)
    }

    /// - Parameter byUser: Whether somebody wanted it, so that logins under way are unwanted, too.
    mutating func signedOut(byUser: Bool = true) {
        fence += 1
        if byUser { loginFence += 1 }
        invalidated = nil
        knowledge = .signedOut
    }

    /// Marks an access token as spent; one that was replaced meanwhile stays untouched.
    mutating func invalidate(_ accessToken: String) {
        if session?.accessToken == accessToken { invalidated = accessToken }
    }
}
