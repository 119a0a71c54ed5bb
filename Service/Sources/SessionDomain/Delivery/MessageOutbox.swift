internal import SessionTokens

/// The messages that are not sent yet.
package struct MessageOutbox: Outbox {
    let store: any MessageStore
    let directory: AppDirectory
    let keys: KeyRing
    let routes: any MessageRoutes
    let environment: ServiceEnvironment
    private let health = RouteHealth()
    private let flights = MessageFlights()

    init(
        store: any MessageStore, directory: AppDirectory, keys: KeyRing, routes: any MessageRoutes,
        environment: ServiceEnvironment
    ) {
        self.store = store
        self.directory = directory
        self.keys = keys
        self.routes = routes
        self.environment = environment
    }

    /// The number of routes that fail now.
    var failingRoutes: Int { health.failingCount(at: environment.uptime()) }

    /// Seconds for an attempt. Routes have shorter timeouts of their own, which say what they waited for.
    static let timeout = 45
    /// Seconds for which a claimed message is reserved. It is longer than an attempt can take.
    static let lease = 60
    package static let kind = OutboxKind.messages
    package static let width = 16
    package static let capacity = 256
    package static let grace = 8

    package func due(at now: Timestamp) async throws -> [(lane: MessageLane, count: Int)] {
        try await store.dueMessages(at: DueTimes(now: now))
    }

    package func claim(in lane: MessageLane, at now: Timestamp) async throws -> QueuedMessage? {
        let claim = flights.beginClaim()
        defer { flights.end(claim) }
        // A lease may end early when the clock jumps. A message that is being sent has its lease renewed only.
        var now = now
        while let message = try await store.perform(ClaimMessage(in: lane, now: now, leaseEnd: now + Self.lease)) {
            now = environment.now()
            if begin(message, by: claim, at: now) { return message }
        }
        return nil
    }

    package func begin(_ message: QueuedMessage, at now: Timestamp) -> Bool { begin(message, by: nil, at: now) }

    private func begin(_ message: QueuedMessage, by claim: MessageFlights.Claim?, at now: Timestamp) -> Bool {
        // A claimed message may have waited, or the clock may have jumped. If its lease has too little time left for an
        // attempt, or ends so late that the message is due, another claim could send it too.
        let hasTime = message.nextAttemptAt >= now + Self.timeout
        guard hasTime, !DueTimes(now: now).contains(message.nextAttemptAt), flights.begin(message, by: claim)
        else { return false }
        if message.attempts == 0 {
            environment.observer.observe(.outboxClaimed(.messages, lag: now.seconds(since: message.createdAt)))
        }
        return true
    }

    package func deliver(_ message: QueuedMessage) async throws -> Bool {
        defer { flights.end(message) }
        let (attempt, route) = try await attempt(message)
        // An attempt that the end of the process has cancelled says nothing about its route. The message is due again at the
        // end of its lease, because the route may have it.
        if case .routed(.failed) = attempt { try Task.checkCancellation() }
        let events = EventFactory(appID: message.appID, environment: environment, context: message.context)
        let stored = try await store.perform(
            RecordAttempt(attempt, of: flights.latest(of: message), now: environment.now(), events: events))
        if let stored {
            count(attempt, of: stored)
            if let notice = health.note(attempt, of: message, by: route, at: environment.uptime()) {
                environment.observer.observe(.notice(notice))
            }
        }
        return true
    }

    /// - Returns: The attempt, and the position of the route that was tried.
    private func attempt(_ message: QueuedMessage) async throws -> (attempt: MessageAttempt, route: Int?) {
        if message.content.withheld != nil { return (.withheld, nil) }
        guard message.expiresAt > environment.now() else { return (.expired, nil) }
        let app: App
        do {
            app = try await directory.app(message.appID).settings
        } catch Refusal.notFound {
            return (.undeliverable(.configuration("the app no longer exists")), nil)
        }
        let routes = routes.routes(for: app, channel: message.channel)
        guard !routes.isEmpty else {
            let failure = MessageFailure.configuration("no delivery by \(message.channel.rawValue) is configured")
            // A notice lives for a day. It does not wait for a configuration.
            return (message.content.purpose == .notice ? .undeliverable(failure) : .postponed(failure), nil)
        }
        let code = message.content.code.flatMap(keys.code)
        guard code != nil || message.content.purpose == .notice else {
            let failure = MessageFailure.configuration(
                "this process does not have the master key that derives the code")
            return (.postponed(failure), nil)
        }
        guard let outbound = render(message, code: code, app: app) else {
            return (.undeliverable(.configuration("there is no text for this message")), nil)
        }
        let position = health.route(for: message, of: routes.count, at: environment.uptime())
        let route = routes[position]
        let result = await send(outbound, by: route)
        if let failure = result.abandonment {
            if Task.isCancelled { return (.interrupted, nil) }
            let untried = MessageFailure(route: route.name, stage: failure.stage.rawValue, reason: failure.reason)
            return (.untried(untried, route: position, of: routes.count), nil)
        }
        return (
            .routed(.init(result, of: outbound, to: message, by: route.name, at: position, of: routes.count)), position
        )
    }

    /// Returns `nil` if there is no text for the message.
    private func render(_ message: QueuedMessage, code: String?, app: App) -> OutboundMessage? {
        let content = message.content
        let rendered = MessageTemplates(app).render(
            content.purpose, message.channel, requested: content.locales, code: code,
            lifetime: message.lifetime(at: environment.now()), stored: content.values)
        guard let rendered else { return nil }
        return OutboundMessage(
            id: message.id, appID: app.id, appName: app.nameInMessages, channel: message.channel,
            purpose: content.purpose,
            to: message.recipient.value, locale: rendered.locale.tag, code: code, subject: rendered.subject,
            text: rendered.text, html: rendered.html, senderID: content.sender.senderID,
            templateID: content.sender.templateID, expiresAt: message.expiresAt,
            isRepeated: message.lastFailure?.mayBeSent == true)
    }

    /// One attempt. It is cancelled when its time or the life of the message is over.
    private func send(_ message: OutboundMessage, by route: any MessageRoute) async -> SendingResult {
        let seconds = min(Self.timeout, message.expiresAt.retryAfter(from: environment.now()))
        let timeout = SendingResult.failed(SendingFailure(.timeout, "no result in \(seconds) seconds"))
        return await withTaskGroup(of: SendingResult?.self) { group in
            group.addTask {
                await environment.observer.trace(.messageAttempt(message.channel, route: route.name)) { span in
                    let result = await route.send(message)
                    if let stage = result.failedStage { span?.note(.failed(stage.rawValue)) }
                    return result
                }
            }
            group.addTask { (try? await environment.sleep(seconds)) == nil ? nil : timeout }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return timeout
        }
    }

    private func count(_ attempt: MessageAttempt, of message: QueuedMessage) {
        let (observer, purpose) = (environment.observer, message.content.purpose)
        switch attempt {
        case .routed(.accepted(let route, _)):
            observer.observe(.messageSent(message.channel, purpose, route: route))
        case .routed(.failed(let failure, _, _, _, _)), .postponed(let failure), .untried(let failure, _, _):
            observer.observe(
                .messageAttemptFailed(message.channel, route: failure.route ?? "", stage: failure.stage))
        case .undeliverable, .interrupted, .expired, .withheld: break
        }
        guard message.status == .failed else { return }
        let (route, stage) = (message.lastFailure?.route ?? "", message.lastFailure?.stage ?? "")
        observer.observe(.messageFailed(message.channel, purpose, route: route, stage: stage))
    }
}

extension SendingResult {
    /// How far the attempt came. `nil` if it succeeded.
    fileprivate var failedStage: SendingFailure.Stage? {
        switch self {
        case .rejected(let failure), .failed(let failure): failure.stage
        case .accepted: nil
        }
    }

    /// Why the service ended the attempt before the route had the message. `nil` if it did not.
    fileprivate var abandonment: SendingFailure? {
        switch self {
        case .rejected(let failure), .failed(let failure): failure.isAbandoned ? failure : nil
        case .accepted: nil
        }
    }
}

extension MessageAttempt.RouteResult {
    /// The result of a route. Its reason is stored without the code and the recipient, which a server may repeat.
    fileprivate init(
        _ result: SendingResult, of sent: OutboundMessage, to message: QueuedMessage, by name: String, at position: Int,
        of count: Int
    ) {
        func failed(_ failure: SendingFailure, isRejected: Bool) -> Self {
            var reason = failure.reason
            for secret in [sent.text, sent.subject, sent.code].compactMap({ $0 }) where !secret.isEmpty {
                reason = reason.replacing(secret, with: "***")
            }
            for address in [message.recipient.value, message.recipient.canonical] {
                reason = reason.replacing(address, with: message.recipient.masked)
            }
            return .failed(
                MessageFailure(
                    route: name, stage: failure.stage.rawValue, reason: String(reason.prefix(200)),
                    mayBeSent: failure.finding == .mayBeSent),
                isRejected: isRejected, isFinal: failure.finding == .unknownRecipient, route: position, of: count)
        }
        switch result {
        case .accepted(let reference): self = .accepted(by: name, reference: reference)
        case .rejected(let failure): self = failed(failure, isRejected: true)
        case .failed(let failure): self = failed(failure, isRejected: false)
        }
    }
}
