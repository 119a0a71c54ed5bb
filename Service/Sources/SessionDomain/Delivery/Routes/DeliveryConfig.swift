/// The routes that an app has instead of the service's, by channel. The first one is tried first.
package struct DeliveryConfig: Sendable, Equatable, Codable {
    package struct Route: Sendable, Equatable, Codable {
        package var settings: RouteSettings
        /// base64url of the secret, sealed with a master key.
        package var sealedSecret: String?

        package init(settings: RouteSettings, sealedSecret: String? = nil) {
            self.settings = settings
            self.sealedSecret = sealedSecret
        }
    }

    /// A first route and a second one.
    package static let maximumRoutes = 2

    package var email: [Route] = []
    package var sms: [Route] = []
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(at time: Timestamp) {
        createdAt = time
        updatedAt = time
    }

    /// The routes of a channel. Empty: the service's routes are used.
    package subscript(channel: OTPLoginConfig.Channel) -> [Route] {
        get {
            switch channel {
            case .email: email
            case .sms: sms
            }
        }
        set {
            switch channel {
            case .email: email = newValue
            case .sms: sms = newValue
            }
        }
    }

    /// The sealed secret that a route keeps when it is set again without one: that of the same route or, if more than
    /// one route or none is the same, that of the route in the same place among those to its destination.
    ///
    /// A secret goes only to the destination for which it was set: otherwise another one could be named to learn it.
    ///
    /// - Parameter others: The number of new routes before this one that go to the same destination.
    func secret(for route: RouteSettings, after others: Int, by channel: OTPLoginConfig.Channel) -> String? {
        let fitting = self[channel].filter { $0.sealedSecret != nil && $0.settings.hasSameDestination(as: route) }
        let same = fitting.filter { $0.settings == route }
        if same.count == 1 { return same.first?.sealedSecret }
        return (fitting.dropFirst(others).first ?? fitting.last)?.sealedSecret
    }
}

/// The routes that the configuration of the service names, by channel. They serve every app without routes of its own.
package struct ConfiguredRoutes: Sendable, Equatable {
    package struct Route: Sendable, Equatable {
        package let settings: RouteSettings
        package let secret: RouteSecret?

        package init(settings: RouteSettings, secret: RouteSecret?) {
            self.settings = settings
            self.secret = secret
        }
    }

    package var routes: [OTPLoginConfig.Channel: [Route]]

    /// Domains that the mail servers send from, besides those of their own senders.
    package let furtherSenderDomains: Set<String>

    package init(_ routes: [OTPLoginConfig.Channel: [Route]] = [:], furtherSenderDomains: Set<String> = []) {
        self.routes = routes
        self.furtherSenderDomains = furtherSenderDomains
    }

    package subscript(channel: OTPLoginConfig.Channel) -> [Route] { routes[channel] ?? [] }

    /// The domains that an app without a mail route of its own may send from. `nil`: the service has no mail server, and what
    /// sends its mail decides.
    package var senderDomains: Set<String>? {
        let servers = self[.email].filter { $0.settings.kind == .smtp }
        guard !servers.isEmpty else { return nil }
        let own = servers.compactMap { $0.settings.from.flatMap(MailAddress.init)?.domain.lowercased() }
        return furtherSenderDomains.union(own)
    }

    package var isEmpty: Bool { routes.values.allSatisfy(\.isEmpty) }
}
