/// Reads sessions.
package protocol SessionStore: IntentStore {
    func session(_ id: String, app: AppID) async throws -> Session?
    /// The session with its user, in one read.
    func signedIn(session id: String, app: AppID) async throws -> (session: Session, user: User)?
    /// The live sessions of one user, last seen first.
    func sessions(of userID: String, app: AppID, now: Timestamp, limit: Int, offset: Int) async throws
        -> (sessions: [Session], total: Int)
}
