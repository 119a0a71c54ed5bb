import SessionDomain
import SessionEgress

extension ServiceConfiguration {
    /// A route with the place of its settings.
    typealias PlacedRoute = (slot: RouteSlot, route: ConfiguredRoutes.Route)

    /// The routes for messages with these settings.
    static func routes(_ settings: Settings, problems: inout ConfigurationProblems) -> [PlacedRoute] {
        var routes: [PlacedRoute] = []
        for slot in RouteSlot.all {
            if let route = slot.route(in: settings, problems: &problems) { routes.append((slot, route)) }
        }
        return routes
    }

    /// The domains that mail servers send from, besides those of their own senders, with these settings.
    static func senderDomains(_ settings: Settings, ofServers servers: Int) throws -> Set<String>? {
        let texts = settings.list(.emailSenderDomains)
        let domains = texts.map(MailAddress.domain)
        if let invalid = zip(texts, domains).first(where: { $0.1 == nil })?.0 {
            throw settings.error(
                .emailSenderDomains,
                "must be domains of mail addresses, such as example.com: \"\(invalid.escapedForTerminal)\" is none")
        }
        guard texts.isEmpty || servers > 0 || settings.string(.emailRoute) == nil else {
            throw settings.error(.emailSenderDomains, "is a setting of smtp routes only")
        }
        return Set(domains.compactMap { $0 })
    }

    /// How messages are sent. Empty: no delivery is configured.
    var delivery: ConfiguredRoutes {
        ConfiguredRoutes(
            Dictionary(grouping: routes, by: \.slot.channel).mapValues { $0.map(\.route) },
            furtherSenderDomains: senderDomains)
    }

    /// Checks what needs the rules for outbound calls, and that files with secrets can be read.
    func checkDelivery(problems: inout ConfigurationProblems) {
        for (slot, route) in routes { slot.check(route, in: settings, egress: egressPolicy, problems: &problems) }
    }
}
