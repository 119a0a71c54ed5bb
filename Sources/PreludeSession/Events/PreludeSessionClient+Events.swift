extension PreludeSessionClient {
    /// The events of the session from now on: signed in, refreshed, signed out with the reason.
    ///
    /// Each call returns a new stream. A stream buffers 64 events and then drops the oldest. It ends when its task is
    /// cancelled.
    public var events: AsyncStream<SessionEvent> { get async { await engine.events() } }
}

extension SessionEngine {
    func events() -> AsyncStream<SessionEvent> {
        _ = follow()
        return streams.add { [weak self] number in
            Task { [weak self] in await self?.removeStream(number) }
        }
    }

    private func removeStream(_ number: Int) {
        streams.remove(number)
        unfollow()
    }

    /// Sends an event with the profile of the session's access token.
    func emit(_ event: (PreludeProfile) -> SessionEvent, of session: StoredSession) {
        guard let profile = try? PreludeProfile(accessToken: session.accessToken) else { return }
        streams.send(event(profile))
    }
}
