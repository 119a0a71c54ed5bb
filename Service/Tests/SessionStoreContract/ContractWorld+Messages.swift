internal import SessionDomain

extension ContractWorld {
    /// A message that is in the store, with every member set. It lives 600 seconds.
    @discardableResult
    func queue(
        _ id: String, to identifier: CanonicalIdentifier? = nil, app: AppID? = nil, route: Int = 0,
        after seconds: Int = 0, content: MessageContent? = nil, _ change: (inout QueuedMessage) -> Void = { _ in }
    ) async throws -> QueuedMessage {
        var message = QueuedMessage(
            id: id, appID: app ?? self.app, recipient: try identifier ?? mail("Ada@Example.com"),
            content: content
                ?? MessageContent(
                    purpose: .stepUp,
                    code: CodeSeed(verification: "token", number: "number", size: 8, keyID: "key"),
                    values: ["device": "iPhone"], locales: ["fr-CA", "en"],
                    sender: MessageSender(senderID: "sender", templateID: "template"), withheld: .inactiveUser,
                    userID: "usr_1", sessionID: "ses_1"),
            context: EventContext(actor: .init(.client), ip: "192.0.2.1", requestID: "req_1"), createdAt: now + seconds,
            expiresAt: now + seconds + 600, route: route, rejectedRoutes: [0, 2], attempts: 3,
            lastFailure: MessageFailure(route: "smtp", stage: "recipient", reason: "no such user", mayBeSent: true))
        change(&message)
        try await write(.insertMessage(message))
        return message
    }

    func claim(_ queue: MessageQueue, after seconds: Int, lease: Int = 45) async throws -> QueuedMessage? {
        try await store.perform(
            ClaimMessage(in: queue, now: now + seconds, leaseEnd: now + seconds + lease))
    }

    func record(
        _ attempt: MessageAttempt, of message: QueuedMessage, after seconds: Int
    ) async throws -> QueuedMessage? {
        try await store.perform(
            RecordAttempt(attempt, of: message, now: now + seconds, events: events(at: now + seconds)))
    }

    func message(_ id: String) async throws -> QueuedMessage? { try await read { $0.message = .id(id) }.message }

    /// The message as it is stored now, with what never changes taken from the known one.
    func state(of known: QueuedMessage) async throws -> QueuedMessage? {
        try await read { $0.message = .state(of: known) }.message
    }

    /// The queues with due messages, with their numbers.
    func due(after seconds: Int) async throws -> [String] {
        try await store.dueMessages(at: DueTimes(now: now + seconds)).map { queue, count in
            "\(queue.appID) \(queue.channel) \(queue.route): \(count)"
        }
    }

    /// The results of messages that events report, oldest first.
    func reported() async throws -> [Event] {
        let names: [Event.Name] = [.codeSent, .codeFailed, .loginFailed]
        return try await store.events(app: app, limit: 1000, offset: 0).reversed().filter { names.contains($0.name) }
    }

    /// The queue of the messages to e-mail addresses that no route has rejected.
    var mailQueue: MessageQueue { MessageQueue(appID: app, channel: .email, route: 0) }
}
