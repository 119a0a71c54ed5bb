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
