internal import SessionTokens
internal import Synchronization

/// The messages that are not sent yet.
package struct MessageOutbox: Outbox {
    let store: any MessageStore
    let directory: AppDirectory
    let keys: KeyRing
    let routes: any MessageRoutes
    let environment: ServiceEnvironment
    private let health = RouteHealth()
    private let inFlight = MessagesInFlight()

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

    package func due(at now: Timestamp) async throws -> [(queue: MessageQueue, count: Int)] {
        try await store.dueMessages(at: DueTimes(now: now))
    }

    package func claim(in queue: MessageQueue, at now: Timestamp) async throws -> QueuedMessage? {
        let claim = inFlight.beginClaim()
        defer { inFlight.end(claim) }
        // A lease may end early when the clock jumps. A message that is being sent has its lease renewed only.
        var now = now
        while let message = try await store.perform(ClaimMessage(in: queue, now: now, leaseEnd: now + Self.lease)) {
            now = environment.now()
            if begin(message, by: claim, at: now) { return message }
        }
        return nil
    }

    package func begin(_ message: QueuedMessage, at now: Timestamp) -> Bool { begin(message, by: nil, at: now) }

    private func begin(_ message: QueuedMessage, by claim: MessagesInFlight.Claim?, at now: Timestamp) -> Bool {
        // A claimed message may have waited, or the clock may have jumped. If its lease has too little time left for an
        // attempt, or ends so late that the message is due, another claim could send it too.
        let hasTime = message.nextAttemptAt >= now + Self.timeout
        guard hasTime, !DueTimes(now: now).contains(message.nextAttemptAt), inFlight.begin(message, by: claim)
        else { return false }
        if message.attempts == 0 {
            environment.observer.observe(.outboxClaimed(.messages, lag: now.seconds(since: message.createdAt)))
        }
        return true
    }

    package func deliver(_ message: QueuedMessage) async throws -> Bool {
        defer { inFlight.end(message) }
        let (attempt, route) = try await attempt(message)
        // An attempt that the end of the process has cancelled says nothing about its route. The message is due again at the
        // end of its lease, because the route may have it.
        if case .routed(.failed) = attempt { try Task.checkCancellation() }
        let events = EventFactory(appID: message.appID, environment: environment, context: message.context)
        let stored = try await store.perform(
            RecordAttempt(attempt, of: inFlight.latest(of: message), now: environment.now(), events: events))
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

extension OutboxWorker where Box == MessageOutbox {
    /// Runs a call that writes a new message, and has the message delivered directly after the commit.
    ///
    /// While the worker has a place for it, the commit of the call is its claim. So no other transaction claims it: two
    /// of six for a login. Without a place, the message is due at once, and the worker claims it when it has one.
    ///
    /// - Parameter write: Writes the message with this lease. `nil`: the message is due at once. If it throws after a commit,
    ///   the message is due at the end of the lease.
    func delivering(
        in queue: MessageQueue, at now: Timestamp, _ write: (_ leaseEnd: Timestamp?) async throws -> QueuedMessage
    ) async throws {
        guard takeSlot(in: queue) else {
            _ = try await write(nil)
            return wake(for: queue)
        }
        do {
            deliver(try await write(now + MessageOutbox.lease), in: queue)
        } catch {
            returnSlot(in: queue)
            throw error
        }
    }
}

/// Takes the next due message of a queue.
///
/// It is postponed to `leaseEnd`, so that no other worker takes it, and it is not lost if the process ends.
package struct ClaimMessage: Intent {
    package let queue: MessageQueue
    package let now: Timestamp
    package let leaseEnd: Timestamp

    package init(in queue: MessageQueue, now: Timestamp, leaseEnd: Timestamp) {
        self.queue = queue
        self.now = now
        self.leaseEnd = leaseEnd
    }

    package var reads: Read<QueuedMessage?> {
        Read(app: queue.appID, .message(.due(in: queue, at: DueTimes(now: now))))
    }

    /// - Returns: The message, with its lease.
    package func decide(_ message: QueuedMessage?) -> Decision<QueuedMessage?> {
        guard let message else { return Decision(nil) }
        var leased = message
        leased.nextAttemptAt = leaseEnd
        return Decision(leased, [.replaceMessage(message, with: leased)])
    }
}

/// Stores the result of an attempt, and reports it with an event if it is the last one.
///
/// If the lease has ended meanwhile, another worker may have the message. Only an acceptance still counts then.
package struct RecordAttempt: Intent {
    /// The message as it was claimed.
    package let message: QueuedMessage
    package let attempt: MessageAttempt
    package let now: Timestamp
    package let events: EventFactory

    package init(_ attempt: MessageAttempt, of message: QueuedMessage, now: Timestamp, events: EventFactory) {
        self.attempt = attempt
        self.message = message
        self.now = now
        self.events = events
    }

    package var reads: Read<QueuedMessage?> { Read(app: message.appID, .message(.state(of: message))) }

    /// - Returns: The message as it is stored now. `nil` if this attempt changes nothing.
    package func decide(_ stored: QueuedMessage?) -> Decision<QueuedMessage?> {
        guard let stored, stored.status == .pending else { return Decision(nil) }
        var (route, reference): (String?, String?)
        if case .routed(.accepted(let name, let id)) = attempt {
            (route, reference) = (name, id)
        } else if stored.nextAttemptAt != message.nextAttemptAt {
            return Decision(nil)
        }
        let next = stored.after(attempt, at: now)
        let event = events.result(of: next, by: route, reference: reference)
        // A notice has nothing more to say, and may be to an address that its user has no longer.
        let isOver = next.status != .pending && message.content.purpose == .notice
        let change: Change = isOver ? .deleteMessage(stored) : .replaceMessage(stored, with: next)
        return Decision(next, [change] + (event.map { [.append($0)] } ?? []))
    }
}

/// The messages that this process is sending. None of them is sent twice at the same time, also when its lease has ended.
final class MessagesInFlight: Sendable {
    fileprivate struct ID: Hashable {
        let app: AppID
        let message: String
    }

    /// A transaction that claims a message. Its answer may come after the result of a flight that it did not see.
    struct Claim: Equatable {
        fileprivate let number: Int
    }

    private struct State {
        /// As they were claimed last.
        var inFlight: [ID: QueuedMessage] = [:]
        var claims: [Claim] = []
        /// The inFlight that have ended since the first of the claims began.
        var ended: [(id: ID, attempts: Int, number: Int)] = []
        var number = 0

        mutating func nextNumber() -> Int {
            number += 1
            return number
        }
    }

    private let state = Mutex(State())

    /// Notes that a claim begins.
    func beginClaim() -> Claim {
        state.withLock { state in
            let claim = Claim(number: state.nextNumber())
            state.claims.append(claim)
            return claim
        }
    }

    func end(_ claim: Claim) {
        state.withLock { state in
            state.claims.removeAll { $0 == claim }
            let first = state.claims.first?.number ?? .max
            state.ended.removeAll { $0.number < first }
        }
    }

    /// Notes a message that was claimed.
    ///
    /// - Parameter claim: The claim. `nil`: the commit that wrote the message claimed it, so it was in no flight before.
    /// - Returns: Whether the message may be sent. `false` if it is being sent; the new lease counts then. `false` also if a
    ///   flight has ended during the claim, and the claim saw the message as it was before.
    func begin(_ message: QueuedMessage, by claim: Claim? = nil) -> Bool {
        let id = ID(message)
        return state.withLock { state in
            let isOver = state.ended.contains {
                $0.id == id && $0.attempts == message.attempts && $0.number > claim?.number ?? .max
            }
            return !isOver && state.inFlight.updateValue(message, forKey: id) == nil
        }
    }

    /// Returns the message as it was claimed last.
    func latest(of message: QueuedMessage) -> QueuedMessage { state.withLock { $0.inFlight[ID(message)] } ?? message }

    func end(_ message: QueuedMessage) {
        let id = ID(message)
        state.withLock { state in
            guard let flight = state.inFlight.removeValue(forKey: id), !state.claims.isEmpty else { return }
            state.ended.append((id, flight.attempts, state.nextNumber()))
        }
    }
}

extension MessagesInFlight.ID {
    fileprivate init(_ message: QueuedMessage) { self.init(app: message.appID, message: message.id) }
}
