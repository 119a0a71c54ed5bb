import SessionTokens
import Synchronization

@testable import SessionDomain

extension TestApp {
    /// A queued code to Ada that lives 600 seconds.
    static func message(
        _ id: String = "msg_1", to recipient: CanonicalIdentifier? = nil, purpose: MessagePurpose = .signIn,
        withheld: LoginFailure? = nil, expires: Int = 600, _ change: (inout QueuedMessage) -> Void = { _ in }
    ) throws -> QueuedMessage {
        let seed = keys.issueCode(number: Array(id.utf8), size: 6, of: "token", expiresAt: now + expires).seed
        var message = QueuedMessage(
            id: id, appID: try appID(), recipient: try recipient ?? mail(),
            content: MessageContent(
                purpose: purpose, code: purpose == .notice ? nil : seed, values: ["device": "iPhone"],
                locales: ["fr"], sender: MessageSender(senderID: "sender", templateID: "template"),
                withheld: withheld, userID: "usr_1", sessionID: "ses_1"),
            context: EventContext(requestID: "req_1"), createdAt: now, expiresAt: now + expires)
        change(&message)
        return message
    }

    /// The code of a message.
    static func code(of message: QueuedMessage) -> String { message.content.code.flatMap(keys.code) ?? "" }
}

/// A store of messages in memory, with the guards of the contract.
final class PlayedMessages: MessageStore {
    private struct State {
        var messages: [QueuedMessage]
        var events: [Event] = []
        /// Called before each write. Throws to let the write fail.
        var fault: (@Sendable (Change) throws -> Void)?
    }

    private let state: Mutex<State>

    init(_ messages: [QueuedMessage]) { state = Mutex(State(messages: messages)) }

    var messages: [QueuedMessage] { state.withLock(\.messages) }
    var events: [Event] { state.withLock(\.events) }

    func add(_ message: QueuedMessage) { state.withLock { $0.messages.append(message) } }

    func fail(_ fault: (@Sendable (Change) throws -> Void)?) { state.withLock { $0.fault = fault } }

    func dueMessages(at times: DueTimes) async throws -> [(queue: MessageQueue, count: Int)] {
        let due = state.withLock { $0.messages.filter { $0.status == .pending && times.contains($0.nextAttemptAt) } }
        return Dictionary(grouping: due, by: \.queue).map { ($0, $1.count) }.sorted { $0.0.route < $1.0.route }
    }

    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        try state.withLock { state in
            let query = intent.reads.query.message
            let facts = FoundRows { facts in
                switch query {
                case .id(let id): facts.message = state.messages.first { $0.id == id }
                case .state(let known): facts.message = state.messages.first { $0.id == known.id }
                case .due(let queue, let times):
                    facts.message = state.messages
                        .first { $0.queue == queue && $0.status == .pending && times.contains($0.nextAttemptAt) }
                case nil: break
                }
            }
            let decision = try intent.decide(facts)
            for change in decision.changes { try state.fault?(change) }
            for change in decision.changes {
                switch change {
                case .replaceMessage(let old, let new):
                    guard let index = state.messages.firstIndex(of: old) else { throw StoreError.contended }
                    state.messages[index] = new
                case .append(let event): state.events.append(event)
                default: break
                }
            }
            return decision.outcome
        }
    }
}

extension QueuedMessage {
    fileprivate var queue: MessageQueue { MessageQueue(appID: appID, channel: channel, route: route) }
}

/// A clock that a test moves.
final class PlayedClock: Sendable {
    private let time = Mutex(Timestamp(seconds: 1_800_000_000))

    var now: Timestamp { time.withLock { $0 } }

    func advance(_ seconds: Int) { time.withLock { $0 = $0 + seconds } }

    /// - Parameter sleep: `nil`: a sleeper wakes only when it is cancelled.
    func environment(sleep: (@Sendable (Int) async throws -> Void)? = nil) -> ServiceEnvironment {
        ServiceEnvironment(
            now: { self.now }, randomBytes: { Array(repeating: 0, count: $0) },
            sleep: sleep ?? { _ in await Gate().wait() })
    }
}

/// Holds tasks until it is opened or they are cancelled.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
        /// Tasks that wait until this many others are held.
        var observers: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOpen, ready) = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return (true, [CheckedContinuation<Void, Never>]()) }
                    state.waiting[id] = continuation
                    let ready = state.observers.filter { $0.count <= state.waiting.count }.map(\.1)
                    state.observers.removeAll { $0.count <= state.waiting.count }
                    return (false, ready)
                }
                for observer in ready { observer.resume() }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    /// Returns when this many tasks wait here.
    func isReached(by count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.waiting.count < count else { return true }
                state.observers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}

/// A route whose results a test plays.
struct PlayedRoute: MessageRoute {
    let name: String
    let channel: OTPLoginConfig.Channel
    let sent = SentMessages()
    private let play: @Sendable (OutboundMessage, _ attempt: Int) async -> SendingResult

    /// - Parameter play: The result of each attempt, which are counted from 1.
    init(
        _ name: String = "first", _ channel: OTPLoginConfig.Channel = .email,
        _ play: @escaping @Sendable (OutboundMessage, _ attempt: Int) async -> SendingResult = { _, _ in
            .accepted(reference: "ref")
        }
    ) {
        self.name = name
        self.channel = channel
        self.play = play
    }

    static func failing(_ name: String = "first", reason: String = "connection refused") -> PlayedRoute {
        PlayedRoute(name) { _, _ in .failed(SendingFailure(.connection, reason)) }
    }

    static func rejecting(_ name: String = "first", _ stage: SendingFailure.Stage = .sender) -> PlayedRoute {
        PlayedRoute(name) { _, _ in .rejected(SendingFailure(stage, "rejected")) }
    }

    func send(_ message: OutboundMessage) async -> SendingResult { await play(message, sent.add(message)) }
}

/// What a route was asked to send.
final class SentMessages: Sendable {
    private let kept = Mutex<[OutboundMessage]>([])

    var all: [OutboundMessage] { kept.withLock { $0 } }

    func add(_ message: OutboundMessage) -> Int {
        kept.withLock { kept in
            kept.append(message)
            return kept.count
        }
    }
}
