extension PreludeSessionClient {
    // MARK: The user's sessions

    /// Lists the user's sessions, last seen first.
    ///
    /// - Parameter options: Which page.
    /// - Throws: `.badRequest` for a limit outside of 1–100 or a negative offset; `.unauthorized` when no user is signed in,
    ///   or the session has ended; `.network` and `.timeout` without a response.
    public func listSessions(_ options: ListSessionsOptions = ListSessionsOptions()) async throws
        -> ListSessionsResponse
    {
        try await engine.sessions(options)
    }

    /// Revokes sessions. If this session is among them, its credentials are deleted as by `logout()`.
    ///
    /// - Parameter target: Which sessions.
    /// - Throws: `.notFound` for a session that the user does not have; `.invalidConfiguration` for a blank id;
    ///   `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a response.
    public func revokeSessions(_ target: RevokeTarget) async throws {
        try await engine.revoke(target)
    }

    /// The user's phone numbers and e-mail addresses as far as this device knows them, also offline. Empty when no user is signed
    /// in, or the store cannot be read now.
    ///
    /// After a login it is what the user has signed in with, as the user typed it, and after `fetchIdentifiers()` what the service
    /// has. After a migration it is empty until then. It is stored with the session.
    public var identifiers: [PreludeIdentifier] {
        get async { await engine.knownSession()?.identifiers?.compactMap(PreludeIdentifier.init) ?? [] }
    }

    /// Fetches the user's phone numbers and e-mail addresses from the service. `identifiers` has them from then on.
    ///
    /// - Throws: `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a
    ///   response.
    @discardableResult
    public func fetchIdentifiers() async throws -> [PreludeIdentifier] {
        try await engine.fetchIdentifiers()
    }
}
