/// How long rows are kept after their use has ended.
package enum Retention {
    /// Seconds for which a verification is kept after its code has expired. Until then it may send another one.
    package static let expiredCodes = OTPLimits.longestVerification
    /// Seconds for which a session is kept after its end.
    package static let endedSessions = 30 * 86_400
    /// Days for which an app keeps its events, with their deliveries, unless it sets `eventRetention`.
    package static let eventDays = 30
    /// Allowed values of `App.eventRetention`.
    package static let allowedEventDays = 1...3650
    /// Days for which an event with a pending delivery is kept at least. By then, the courier has given up.
    package static let pendingEventDays = 30

    /// Returns until when events are deleted.
    ///
    /// - Parameter days: The `eventRetention` of their app.
    package static func ends(ofEventsKeptFor days: Int, now: Timestamp) -> (until: Timestamp, pendingUntil: Timestamp) {
        (now - days * 86_400, now - max(days, pendingEventDays) * 86_400)
    }
}

extension Session {
    /// When the session may be deleted: some time after its revocation or expiry, whichever comes first.
    package var keptUntil: Timestamp { min(revokedAt ?? expiresAt, expiresAt) + Retention.endedSessions }
}
