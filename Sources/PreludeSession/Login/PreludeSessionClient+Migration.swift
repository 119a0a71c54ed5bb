extension PreludeSessionClient {
    /// Signs in with a credential of the system the app comes from, so that its users need not do it by hand.
    ///
    /// Callers with the same token at the same time share one exchange and its result. When only the second half fails for
    /// want of a connection, the same token goes on from there.
    ///
    /// - Parameter options: The old credential.
    /// - Returns: The user, with an access token that is good for a while.
    /// - Throws: `.unauthorized` for a credential that is refused, or when another login or a logout came between;
    ///   `.badRequest` when the app has no migration; `.forbidden` when its backend gave no answer that can be used, or the
    ///   user may not sign in; `.invalidConfiguration` for a blank token; `.network` and `.timeout` when there was no answer.
    public func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        try await engine.migrate(options)
    }
}
