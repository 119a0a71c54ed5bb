extension PreludeSessionClient {
    /// Signs in with a credential of the app's previous system, so that its users need not sign in again.
    ///
    /// Concurrent callers with the same token share one exchange and its result. If only the second half fails, for example
    /// without a network, another call with the same token continues from there.
    ///
    /// - Parameter options: The old credential.
    /// - Returns: The user with a valid access token.
    /// - Throws: `.unauthorized` for a rejected credential, or when another login or a logout came between; `.badRequest` when
    ///   the app has no migration; `.forbidden` when its backend failed, or the user is not allowed to sign in;
    ///   `.invalidConfiguration` for a blank token; `.network` and `.timeout` without a response.
    public func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        try await engine.migrate(options)
    }
}
