/// Finds the routes of messages.
package protocol MessageRoutes: Sendable {
    /// The routes of an app for a channel, in the order in which they are tried. Empty if the channel sends nothing.
    func routes(for app: App, channel: OTPLoginConfig.Channel) -> [any MessageRoute]
}

/// The same routes for every app.
package struct FixedRoutes: MessageRoutes {
    private let all: [any MessageRoute]

    package init(_ routes: [any MessageRoute]) { all = routes }

    package func routes(for app: App, channel: OTPLoginConfig.Channel) -> [any MessageRoute] {
        all.filter { $0.channel == channel }
    }
}

/// The configured routes, beside local ones such as the mailbox of development mode.
///
/// Without a configured route for a channel, messages go by the local routes. With one, the local routes get a copy.
struct RoutesWithCopies: MessageRoutes {
    let local: any MessageRoutes
    let configured: DeliveryRoutes

    func routes(for app: App, channel: OTPLoginConfig.Channel) -> [any MessageRoute] {
        let (copies, routes) = (
            local.routes(for: app, channel: channel), configured.routes(for: app, channel: channel)
        )
        guard !routes.isEmpty else { return copies }
        return copies.isEmpty ? routes : routes.map { CopyingRoute(route: $0, copies: copies) }
    }
}

/// Sends a message by a route, and a copy by others, whose results do not matter.
private struct CopyingRoute: MessageRoute {
    let route: any MessageRoute
    let copies: [any MessageRoute]

    var name: String { route.name }
    var channel: OTPLoginConfig.Channel { route.channel }

    func send(_ message: OutboundMessage) async -> SendingResult {
        for copy in copies { _ = await copy.send(message) }
        return await route.send(message)
    }
}
