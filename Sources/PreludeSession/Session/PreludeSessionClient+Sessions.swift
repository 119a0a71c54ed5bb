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

    /// Lists the user's phone numbers and e-mail addresses.
    ///
    /// - Throws: `.unauthorized` when no user is signed in, or the session has ended; `.network` and `.timeout` without a
    ///   response.
    public func identifiers() async throws -> [PreludeIdentifier] {
        try await engine.identifiers()
    }
}
