extension PreludeSessionClient {
    /// Signs in with a credential of the system the app comes from, so that its users need not do it by hand.
    ///
    /// Callers with the same token at the same time share one exchange and its result. When only the second half fails for
    /// want of a connection, the same token goes on from there.
    ///
    /// - Throws: `.unauthorized` for a credential that is refused, or when another login or a logout came between;
    ///   `.forbidden` when the app has no migration; `.invalidConfiguration` for a blank token; `.network` and `.timeout`
    ///   when there was no answer.
    public func migrate(_ options: MigrateOptions) async throws -> PreludeUser {
        try await engine.migrate(options)
    }
}
