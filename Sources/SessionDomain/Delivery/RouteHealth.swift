internal import Synchronization

/// Remembers which routes fail, so that a log says so once when it begins and once when it ends, not with each message.
@available(service, *)
final class RouteHealth: Sendable {
    private struct Key: Hashable {
        let app: AppID
        let channel: OTPLoginConfig.Channel
        /// `nil` if no route could be tried.
        let route: String?
    }

    /// Stages that say something about one message, and nothing about its route.
    private static let ofOneMessage: Set<String> = [
        SendingFailure.Stage.recipient.rawValue, SendingFailure.Stage.content.rawValue,
    ]

    private let failing = Mutex<Set<Key>>([])

    /// - Returns: What an operator should know after an attempt. `nil` if the route is as it was.
    func note(_ attempt: MessageAttempt, of message: QueuedMessage) -> ServiceNotice? {
        switch attempt {
        case .routed(.accepted(let route, _)):
            let works = [route, nil].map { Key(app: message.appID, channel: message.channel, route: $0) }
            let recovered = failing.withLock { failing in
                works.reduce(false) { failing.remove($1) != nil || $0 }
            }
            return recovered ? .routeRecovered(app: message.appID, channel: message.channel, route: route) : nil
        case .routed(.failed(let failure, _, _, _, _)), .postponed(let failure), .undeliverable(let failure):
            guard !Self.ofOneMessage.contains(failure.stage) else { return nil }
            let key = Key(app: message.appID, channel: message.channel, route: failure.route)
            guard failing.withLock({ $0.insert(key).inserted }) else { return nil }
            return .routeFailed(app: message.appID, channel: message.channel, failure: failure)
        case .expired, .withheld: return nil
        }
    }
}
