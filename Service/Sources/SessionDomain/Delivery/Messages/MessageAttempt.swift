internal import SessionTokens
internal import Synchronization

/// What an attempt to send a message resulted in.
package enum MessageAttempt: Sendable, Equatable {
    /// A route was tried.
    case routed(RouteResult)
    /// The service had no means to try the route, which may be fine. The next route is due at once.
    case untried(MessageFailure, route: Int, of: Int)
    /// The process ends before the route had the message. It is due again at once.
    case interrupted
    /// No route could be tried. A later attempt may succeed, perhaps on another node.
    case postponed(MessageFailure)
    /// No later attempt can succeed.
    case undeliverable(MessageFailure)
    /// The life of the code is over.
    case expired
    /// The message must not be sent.
    case withheld

    package enum RouteResult: Sendable, Equatable {
        case accepted(by: String, reference: String?)
        /// - Parameters:
        ///   - isRejected: Whether the route never takes this message.
        ///   - isFinal: Whether no route does: the recipient does not exist.
        ///   - route: The position of the route.
        ///   - count: The number of routes.
        case failed(MessageFailure, isRejected: Bool, isFinal: Bool, route: Int, of: Int)
    }
}

extension QueuedMessage {
    /// Seconds between rounds over all routes.
    private static let backoff = Backoff(first: 2, maximum: 60)

    /// The message after an attempt.
    ///
    /// After a failure the next route is due at once. After the last route the first one is due again, later each time, and
    /// without those that rejected the message. When no attempt is possible before the message expires, it has failed.
    ///
    /// After an attempt that may have sent the message, one more such attempt is possible in all: a code that arrives twice
    /// is better than none, and a gateway that takes each message without a word sends two and not one a minute.
    package func after(_ attempt: MessageAttempt, at now: Timestamp) -> QueuedMessage {
        var next = self
        let wasMaybeSent = lastFailure?.mayBeSent == true
        switch attempt {
        case .withheld: next.status = .withheld
        case .interrupted: next.nextAttemptAt = now
        case .untried(let failure, let route, let count):
            next.attempts += 1
            next.lastFailure = failure
            next.goOn(after: route, of: count, isFinal: false, now)
        case .expired:
            next.status = .failed
            next.lastFailure =
                lastFailure
                ?? MessageFailure(
                    route: nil, stage: MessageFailure.expiredStage, reason: "the message expired before it was sent")
        case .undeliverable(let failure):
            next.status = .failed
            next.lastFailure = failure
        case .postponed(let failure):
            next.attempts += 1
            next.lastFailure = failure
            next.lastFailure?.mayBeSent = wasMaybeSent
            next.postpone(to: 0, now)
        case .routed(.accepted):
            next.attempts += 1
            next.status = .sent
            next.lastFailure = nil
        case .routed(.failed(let failure, let isRejected, let isFinal, let route, let count)):
            next.attempts += 1
            next.lastFailure = failure
            next.lastFailure?.mayBeSent = wasMaybeSent || failure.mayBeSent
            if isRejected { next.rejectedRoutes.insert(route) }
            next.goOn(after: route, of: count, isFinal: isFinal || (wasMaybeSent && failure.mayBeSent), now)
        }
        return next
    }

    private mutating func goOn(after tried: Int, of count: Int, isFinal: Bool, _ now: Timestamp) {
        let open = (0..<count).filter { !rejectedRoutes.contains($0) }
        guard !isFinal, let first = open.first else {
            status = .failed
            return
        }
        guard let other = open.first(where: { $0 > tried }) else { return postpone(to: first, now) }
        route = other
        nextAttemptAt = now
    }

    private mutating func postpone(to route: Int, _ now: Timestamp) {
        self.route = route
        nextAttemptAt = now + Self.backoff.delay(after: attempts)
        if nextAttemptAt >= expiresAt { status = .failed }
    }
}

extension EventFactory {
    /// Reports the result of a message. `nil` while there is none.
    ///
    /// - Parameter reference: The id that the route gave to the message.
    func result(of message: QueuedMessage, by route: String?, reference: String?) -> Event? {
        var subject = LoginSubject(message.recipient, userID: message.content.userID)
        subject.sessionID = message.content.sessionID
        subject.purpose = message.content.purpose.loginPurpose ?? .login
        let isNotice = message.content.purpose == .notice
        var data = subject.data
        if isNotice { data["purpose"] = .string(MessagePurpose.notice.rawValue) }
        data["channel"] = .string(message.channel.rawValue)
        data["message_id"] = .string(message.id)
        switch message.status {
        case .pending: return nil
        case .withheld:
            guard let reason = message.content.withheld else { return nil }
            return loginFailed(reason, LoginMethod(codeTo: message.recipient.type), of: subject)
        case .sent:
            if let route { data["route"] = .string(route) }
            if let reference { data["reference"] = .string(reference) }
            return make(isNotice ? .noticeSent : .codeSent, data)
        case .failed:
            if let failure = message.lastFailure {
                if let route = failure.route { data["route"] = .string(route) }
                data["stage"] = .string(failure.stage)
                data["reason"] = .string(failure.reason)
            }
            data["attempts"] = .int(Int64(message.attempts))
            return make(isNotice ? .noticeFailed : .codeFailed, data)
        }
    }
}

extension MessagePurpose {
    /// What the code is for, as events report it. `nil` for a notice.
    fileprivate var loginPurpose: LoginPurpose? {
        switch self {
        case .signIn: .login
        case .stepUp: .stepUp
        case .newIdentifier: .register
        case .notice: nil
        }
    }
}

/// Remembers which routes fail: to keep messages away from them, and so that a log says it once when it begins and once
/// when it ends, not with each message.
final class RouteHealth: Sendable {
    fileprivate struct Key: Hashable {
        let app: AppID
        let channel: OTPLoginConfig.Channel
        /// The position of the route. `nil` if no route could be tried.
        let route: Int?
    }

    private struct State {
        /// The uptime of the last failure.
        var failing: [Key: Int64] = [:]
        var breakers: [Key: RouteBreaker] = [:]
    }

    /// Stages that say something about one message, and nothing about its route.
    private static let ofOneMessage: Set<String> = [
        SendingFailure.Stage.recipient.rawValue, SendingFailure.Stage.content.rawValue,
    ]

    /// Milliseconds after its last failure in which a route fails. It may have no messages, or no longer exist.
    private static let memory: Int64 = 3_600_000

    private let state = Mutex(State())

    /// Returns the position of the route for the next attempt: that of the message, or a later one while that one fails.
    ///
    /// - Parameters:
    ///   - count: The number of routes.
    ///   - now: Milliseconds on a clock that never jumps.
    func route(for message: QueuedMessage, of count: Int, at now: Int64) -> Int {
        // The routes may have changed since the last attempt.
        let own = message.route < count ? message.route : 0
        let open = (own..<count).filter { !message.rejectedRoutes.contains($0) }
        guard open.count > 1 else { return own }
        return state.withLock { state in
            open.first { state.breakers[Key(message, $0)]?.admits(at: now) ?? true } ?? own
        }
    }

    /// The number of routes that have failed within the last hour, and have not worked since.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    func failingCount(at now: Int64) -> Int {
        state.withLock { state in state.failing.values.count { now - $0 < Self.memory } }
    }

    /// Notes the result of an attempt.
    ///
    /// - Parameters:
    ///   - route: The position of the route that was tried. `nil` if none was.
    ///   - now: Milliseconds on a clock that never jumps.
    /// - Returns: What an operator should know. `nil` if the route is as it was.
    func note(_ attempt: MessageAttempt, of message: QueuedMessage, by route: Int?, at now: Int64) -> ServiceNotice? {
        switch attempt {
        case .routed(.accepted(let name, _)):
            let recovered = state.withLock { state in
                state.breakers[Key(message, route)] = nil
                let works = [Key(message, route), Key(message, nil)]
                return works.reduce(false) { state.failing.removeValue(forKey: $1) != nil || $0 }
            }
            return recovered ? .routeRecovered(app: message.appID, channel: message.channel, route: name) : nil
        case .routed(.failed(let failure, _, _, _, _)), .postponed(let failure), .undeliverable(let failure):
            guard !Self.ofOneMessage.contains(failure.stage) else { return nil }
            let isNew = state.withLock { state in
                if route != nil { state.breakers[Key(message, route), default: RouteBreaker()].failed(at: now) }
                return state.failing.updateValue(now, forKey: Key(message, route)) == nil
            }
            return isNew ? .routeFailed(app: message.appID, channel: message.channel, failure: failure) : nil
        case .untried, .interrupted, .expired, .withheld: return nil
        }
    }
}

extension RouteHealth.Key {
    fileprivate init(_ message: QueuedMessage, _ route: Int?) {
        self.init(app: message.appID, channel: message.channel, route: route)
    }
}

/// Keeps messages away from a route that fails, so that they do not wait for its timeout. One at a time still probes it.
private struct RouteBreaker: Sendable, Equatable {
    /// Failures in a row after which messages keep away.
    static let threshold = 3
    /// Milliseconds between probes.
    static let pause: Int64 = 30_000

    private var failures = 0
    private var nextProbe: Int64?

    /// Whether a message may go to the route. While the route fails, this message is the probe, and others keep away.
    ///
    /// - Parameter now: Milliseconds on a clock that never jumps.
    mutating func admits(at now: Int64) -> Bool {
        guard let nextProbe else { return true }
        guard now >= nextProbe else { return false }
        self.nextProbe = now + Self.pause
        return true
    }

    mutating func failed(at now: Int64) {
        failures += 1
        if failures >= Self.threshold { nextProbe = now + Self.pause }
    }
}
