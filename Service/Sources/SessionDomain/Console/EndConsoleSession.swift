/// Ends a session of the console: redeems its end key, which is remembered until no cookie of the session is valid any more.
struct EndConsoleSession: Intent {
    let session: ConsoleSession
    /// Reports the sign-out.
    let event: Event

    init(_ session: ConsoleSession, event: Event) {
        self.session = session
        self.event = event
    }

    var facts: FactQuery { FactQuery(app: event.appID) }

    func decide(_ facts: Facts) -> Decision<Void> {
        guard !facts.isTaken(.redemption(session.endKey)) else { return Decision(()) }
        return Decision((), [session.end, .append(event)])
    }
}

/// Returns whether a session of the console has not been ended. Writes nothing.
struct CheckConsoleSession: Intent {
    let session: ConsoleSession

    init(_ session: ConsoleSession) { self.session = session }

    var facts: FactQuery { FactQuery(app: .service) }

    func decide(_ facts: Facts) -> Decision<Bool> {
        guard !facts.isTaken(.redemption(session.endKey)) else { return Decision(false) }
        return .unwritten(true, checking: [session.end])
    }
}

extension ConsoleSession {
    /// Ends belong to the service itself, whatever app the key is valid for.
    fileprivate var end: Change {
        .redeem(endKey, until: signedInAt + Self.absoluteLifetime + 3600, app: .service)
    }
}
