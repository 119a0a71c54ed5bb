internal import Synchronization

/// The routes of every app, in the order in which they are tried: the app's own, or else those of the configuration.
///
/// Routes keep connections open, so those of an app are made once and again only after a change of its configuration.
package final class DeliveryRoutes: Sendable {
    private struct Opened {
        let config: DeliveryConfig
        let routes: [OTPLoginConfig.Channel: [any MessageRoute]]
    }

    private let configured: [OTPLoginConfig.Channel: [any MessageRoute]]
    private let make:
        @Sendable (RouteSettings, RouteSecret?, OTPLoginConfig.Channel, Set<String>?) -> (any MessageRoute)?
    private let keys: KeyRing
    private let opened = Mutex<[AppID: Opened]>([:])

    /// - Parameters:
    ///   - configured: The routes of the service's configuration, which were checked.
    ///   - factory: Makes routes to servers and gateways. `nil`: there are only webhooks.
    init(
        configured: ConfiguredRoutes, factory: (any RouteFactory)?, keys: KeyRing,
        webhook: @escaping @Sendable (String, OTPLoginConfig.Channel) -> any MessageRoute
    ) {
        let make = {
            @Sendable
            (
                settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel,
                senderDomains: Set<String>?
            ) in
            settings.kind == .webhook
                ? settings.url.map { webhook($0, channel) }
                : factory?.route(settings, secret: secret, channel: channel, senderDomains: senderDomains)
        }
        self.make = make
        self.keys = keys
        self.configured = Dictionary(
            uniqueKeysWithValues: OTPLoginConfig.Channel.allCases.map { channel in
                (
                    channel,
                    configured[channel].compactMap {
                        make($0.settings, $0.secret, channel, configured.furtherSenderDomains)
                    }
                )
            })
    }

    /// Returns the routes for the messages of an app. Empty: no delivery is configured.
    package func routes(for app: App, channel: OTPLoginConfig.Channel) -> [any MessageRoute] {
        guard let config = app.delivery, !config[channel].isEmpty else { return configured[channel] ?? [] }
        if let known = opened.withLock({ $0[app.id] }), known.config == config { return known.routes[channel] ?? [] }
        let routes = Dictionary(
            uniqueKeysWithValues: OTPLoginConfig.Channel.allCases.map { ($0, open(config, $0, app: app.id)) })
        opened.withLock { $0[app.id] = Opened(config: config, routes: routes) }
        return routes[channel] ?? []
    }

    /// The names of the service's routes, which serve apps without routes of their own.
    package func names(ofService channel: OTPLoginConfig.Channel) -> [String] {
        configured[channel]?.map(\.name) ?? []
    }

    private func open(
        _ config: DeliveryConfig, _ channel: OTPLoginConfig.Channel, app: AppID
    ) -> [any MessageRoute] {
        config[channel].compactMap { route in
            var settings = route.settings
            settings.from = settings.from.map { LinkedName.removed(fromSender: $0, isMail: channel == .email) }
            do {
                return make(settings, try keys.openSecret(of: route, channel: channel, app: app), channel, nil)
            } catch {
                return ClosedRoute(name: route.settings.kind.rawValue, channel: channel)
            }
        }
    }
}

/// Stands for a route whose secret cannot be opened, so that the failure appears in events and the next route is tried.
private struct ClosedRoute: MessageRoute {
    let name: String
    let channel: OTPLoginConfig.Channel

    func send(_ message: OutboundMessage) async -> SendingResult {
        .failed(
            SendingFailure(
                .authentication, "the secret of the route is sealed under a master key that this process does not have")
        )
    }
}
