internal import Synchronization

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
