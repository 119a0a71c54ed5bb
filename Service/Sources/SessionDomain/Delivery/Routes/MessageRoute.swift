internal import Synchronization

/// A way to send messages: a mail server, or a gateway for SMS.
package protocol MessageRoute: Sendable {
    /// A short name for events, metrics and logs, such as `smtp` or `twilio`.
    var name: String { get }
    var channel: OTPLoginConfig.Channel { get }

    /// Sends a message once. It takes no longer than the route's timeout, and less if the message expires before. It ends
    /// when its task is cancelled.
    ///
    /// It does not repeat anything: the worker decides about further attempts and other routes.
    func send(_ message: OutboundMessage) async -> SendingResult
}

package enum SendingResult: Sendable, Equatable {
    /// The server or gateway is responsible for the message now.
    ///
    /// - Parameter reference: The id that it gave to the message.
    case accepted(reference: String?)
    /// This message is never accepted by this route, for example because it does not deliver to the recipient.
    case rejected(SendingFailure)
    /// No result, or a temporary one. A later attempt may succeed.
    case failed(SendingFailure)
}

/// Why a message was not sent.
package struct SendingFailure: Error, Sendable, Equatable {
    /// How far the attempt came.
    package enum Stage: String, Sendable, CaseIterable {
        case nameResolution = "name_resolution"
        case addressRules = "address_rules"
        case connection
        case tls
        case authentication
        case sender
        case recipient
        case content
        case response
        case timeout
    }

    /// What a failure says about the message, whichever route is asked next.
    package enum Finding: Sendable, Equatable {
        /// The recipient does not exist, so no route can deliver the message.
        case unknownRecipient
        /// The request was sent, and its result is unknown. The route would send a repeated message a second time.
        case mayBeSent
    }

    package let stage: Stage
    /// The reason of the server in its words, at most 200 printable characters. It contains no secret and no code.
    package let reason: String
    /// `nil`: the message was not sent by this route, and another one may send it.
    package let finding: Finding?
    /// Whether the service itself ended the attempt, surely before the route had the message: it had no means to try, or the
    /// attempt was cancelled. This says nothing about the route.
    package let isAbandoned: Bool

    package init(_ stage: Stage, _ reason: String, finding: Finding? = nil, isAbandoned: Bool = false) {
        self.stage = stage
        self.reason = reason
        self.finding = finding
        self.isAbandoned = isAbandoned
    }
}

/// A rendered message to a user, ready to be sent.
package struct OutboundMessage: Sendable, Equatable {
    /// `msg_…`. It stays the same over all attempts and routes, so a receiver recognizes repetitions.
    package let id: String
    package let appID: AppID
    package let appName: String
    package let channel: OTPLoginConfig.Channel
    package let purpose: MessagePurpose
    /// An E.164 number, or an e-mail address.
    package let to: String
    /// The language that the text is in, as a BCP 47 tag.
    package let locale: String
    /// The one-time code in the text. `nil` for a notice.
    package let code: String?
    /// The subject of a mail. `nil` for an SMS.
    package let subject: String?
    package let text: String
    /// The HTML part of a mail, beside `text`.
    package let html: String?
    /// The sender that the login configuration names: a phone number, an alphanumeric sender id, or a mail address.
    package let senderID: String?
    /// The template that the login configuration names, for gateways that have templates of their own.
    package let templateID: String?
    /// When the message becomes useless. It is never sent after this time.
    package let expiresAt: Timestamp
    /// Whether an earlier attempt ended without a result, so that a route may have the message.
    package let isRepeated: Bool

    package init(
        id: String, appID: AppID, appName: String, channel: OTPLoginConfig.Channel, purpose: MessagePurpose, to: String,
        locale: String, code: String?, subject: String?, text: String, html: String?, senderID: String? = nil,
        templateID: String? = nil, expiresAt: Timestamp, isRepeated: Bool = false
    ) {
        self.id = id
        self.appID = appID
        self.appName = appName
        self.channel = channel
        self.purpose = purpose
        self.to = to
        self.locale = locale
        self.code = code
        self.subject = subject
        self.text = text
        self.html = html
        self.senderID = senderID.map { LinkedName.removed(fromSender: $0, isMail: channel == .email) }
        self.templateID = templateID
        self.expiresAt = expiresAt
        self.isRepeated = isRepeated
    }
}

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

/// Makes the routes to servers and gateways. The domain itself has the one to a webhook.
package protocol RouteFactory: Sendable {
    /// - Parameter senderDomains: The domains that a mail server of the service sends from, besides that of its own sender:
    ///   all apps use it that have none of their own. `nil`: an app's own route, which sends what its server accepts.
    /// - Returns: `nil` for settings that `RouteSettings.check` rejects, and for a webhook.
    func route(
        _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel, senderDomains: Set<String>?
    ) -> (any MessageRoute)?
}
