/// The sessions of a signed-in user, as that user lists and ends them.
package struct UserSessions: Sendable {
    private let store: any SessionStore
    private let environment: ServiceEnvironment

    package init(store: any SessionStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// The caller's live sessions, last seen first.
    package func list(of caller: SignedIn, limit: Int, offset: Int) async throws -> (
        sessions: [Session], total: Int
    ) {
        try PageLimit.check(limit, .offset(offset))
        return try await store.sessions(
            of: caller.user.id, app: caller.user.appID, now: environment.now(), limit: limit, offset: offset)
    }

    /// Ends sessions of the caller.
    ///
    /// - Throws: `Refusal.notFound` if a session is named that does not exist; `.unauthorized` if the caller's session has
    ///   ended in the meantime.
    package func revoke(_ target: RevokeTarget, by caller: SignedIn) async throws {
        let selection: SessionSelection =
            switch target {
            case .all: .all
            case .others: .allBut(caller.session.id)
            case .mine: .one(caller.session.id)
            case .session(let id): .one(id)
            }
        let ended = try await store.perform(
            RevokeSessions(
                selection, reason: .revokedByUser, by: caller.session.id,
                in: UserChange(
                    of: caller.user.id, app: caller.user.appID, now: environment.now(),
                    events: EventFactory(appID: caller.user.appID, environment: environment))))
        guard let ended else { throw Refusal.unauthorized }
        if case .session = target, ended == 0 { throw Refusal.notFound("there is no such session") }
    }
}

/// The sessions that a user ends.
package enum RevokeTarget: Sendable, Equatable {
    case all
    case others
    case mine
    case session(id: String)
}
