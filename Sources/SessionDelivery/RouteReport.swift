package import SessionDomain

/// How far an attempt came, for `delivery test`.
package struct RouteReport: Sendable, Equatable {
    /// A stage that succeeded.
    package struct Step: Sendable, Equatable {
        package let stage: SendingFailure.Stage
        package let detail: String

        init(_ stage: SendingFailure.Stage, _ detail: String) {
            self.stage = stage
            self.detail = detail
        }
    }

    package let steps: [Step]
    package let result: SendingResult
    /// What an operator can do about the failure.
    package let remedy: String?
}

/// A route that can say how far an attempt came.
package protocol TestableRoute: MessageRoute {
    /// Sends a message as `send` does.
    func report(on message: OutboundMessage) async -> RouteReport
}

extension SendingResult {
    /// The failure, or `nil` for an accepted message.
    package var failure: SendingFailure? {
        switch self {
        case .accepted: nil
        case .rejected(let failure), .failed(let failure): failure
        }
    }
}

extension RouteReport {
    /// Sends the message by any route. Of a route that cannot say more, the failure shows how far the attempt came.
    package init(sending message: OutboundMessage, by route: any MessageRoute) async {
        if let route = route as? any TestableRoute {
            self = await route.report(on: message)
            return
        }
        let (result, host) = (await route.send(message), "the host of the \(route.name)")
        self.init(
            steps: Self.steps(before: result.failure?.stage, host: host), result: result,
            remedy: result.failure.flatMap { Remedy.text(for: $0, host: host) })
    }
}
