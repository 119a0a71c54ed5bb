/// How long rows are kept after their use has ended.
package enum Retention {
    /// Seconds for which a session is kept after its end.
    package static let endedSessions = 30 * 86_400
    /// Seconds for which an event is kept, with its deliveries.
    package static let events = 30 * 86_400
}

extension Session {
    /// When the session may be deleted: some time after its revocation or expiry, whichever comes first.
    package var keptUntil: Timestamp { min(revokedAt ?? expiresAt, expiresAt) + Retention.endedSessions }
}
