internal import Foundation

/// What is known of the session, and what may still be believed; a plain value that decides and never acts.
///
/// The fence counts logins and logouts. Whatever began before one of them carries the older count, and its answer is
/// not taken.
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

    /// Takes what was read from the store, unless something newer is known by now.
    mutating func wasRead(_ session: StoredSession?, since fence: Int) {
        guard fence == self.fence else { return }
        knowledge = session.map(Knowledge.signedIn) ?? .signedOut
    }

    /// Whether an answer to something that began at `fence` may still be taken.
    func accepts(_ fence: Int) -> Bool { fence == self.fence }

    /// A login succeeded.
    mutating func signedIn(_ session: StoredSession) {
        fence += 1
        invalidated = nil
        knowledge = .signedIn(session)
    }

    /// A refresh succeeded, or another client's was found in the store.
    mutating func refreshed(_ session: StoredSession) {
        if session.accessToken != invalidated { invalidated = nil }
        knowledge = .signedIn(session)
    }

    mutating func signedOut() {
        fence += 1
        invalidated = nil
        knowledge = .signedOut
    }

    /// Marks an access token as spent; one that was replaced meanwhile stays untouched.
    mutating func invalidate(_ accessToken: String) {
        if session?.accessToken == accessToken { invalidated = accessToken }
    }
}
