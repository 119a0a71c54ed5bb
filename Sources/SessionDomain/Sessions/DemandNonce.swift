/// Remembers that a session's client was given a nonce, and must use one from now on (RFC 9449 §11.3).
package struct DemandNonce: Intent {
    package let sessionID: String
    package let appID: AppID

    package init(session id: String, app: AppID) {
        sessionID = id
        appID = app
    }

    package var facts: FactQuery { FactQuery(app: appID) { $0.session = .id(sessionID) } }

    package func decide(_ facts: Facts) -> Decision<Void> {
        guard let session = facts.session, !session.demandsNonce else { return Decision(()) }
        var next = session
        next.demandsNonce = true
        return Decision((), [.replaceSession(session, with: next)])
    }
}
