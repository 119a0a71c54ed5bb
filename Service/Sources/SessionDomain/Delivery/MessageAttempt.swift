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
