extension PreludeSessionClient {
    /// The events of the session from now on: signed in, refreshed, signed out with the reason.
    ///
    /// Each call returns a new stream. A stream buffers 64 events and then drops the oldest. It ends when its task is
    /// cancelled.
    public var events: AsyncStream<SessionEvent> { get async { await engine.events() } }

    /// The state of the session: first the current one, then each that follows.
    ///
    /// Each call returns a new stream. A stream keeps the newest state only, so a slow reader skips older ones. It ends when its
    /// task is cancelled.
    ///
    /// On Apple's systems it has what other processes change, while this one runs, if they share the store:
    /// <doc:AppGroupsAndExtensions>. `reload()` finds the rest.
    public var states: AsyncStream<SessionState> { get async { await engine.states() } }

    /// Reads the credentials again, and takes over what another process has changed. Call it when the app becomes active: a
    /// process that was suspended may have missed a change.
    ///
    /// Without a change it emits nothing. A session that is known stays known if the credentials cannot be read now.
    ///
    /// - Returns: The state of the session, which `states` has, too.
    @discardableResult
    public func reload() async -> SessionState { await engine.reload() }
}
