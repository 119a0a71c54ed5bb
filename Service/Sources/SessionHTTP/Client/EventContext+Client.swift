import SessionDomain

extension EventContext {
    /// The context of a call of the frontend API.
    init(_ client: Client, requestID: String?) {
        self.init(
            actor: Actor(.client), ip: client.facts.ip, userAgent: client.facts.userAgent, device: client.device,
            requestID: requestID)
    }
}
