extension PreludeSessionClient {
    /// What happens to the session from now on: signed in, refreshed, signed out with the reason.
    ///
    /// Each call is a stream of its own. A follower that does not keep up loses the oldest of 64 events. The stream ends
    /// with its task.
    public var events: AsyncStream<SessionEvent> { get async { await engine.events() } }
}

extension SessionEngine {
    func events() -> AsyncStream<SessionEvent> {
        streams.add { [weak self] number in
            Task { await self?.stopFollowing(number) }
        }
    }

    private func stopFollowing(_ number: Int) { streams.remove(number) }

    /// Tells of a session with the profile of its access token.
    func tell(_ event: (PreludeProfile) -> SessionEvent, of session: StoredSession) {
        guard let profile = try? PreludeProfile(accessToken: session.accessToken) else { return }
        streams.send(event(profile))
    }
}
