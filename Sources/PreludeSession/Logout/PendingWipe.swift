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
