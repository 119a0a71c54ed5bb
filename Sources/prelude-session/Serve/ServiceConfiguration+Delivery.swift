import SessionDomain
import SessionEgress

@available(service, *)
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

    /// How messages are sent. Empty: no delivery is configured.
    var delivery: ConfiguredRoutes {
        ConfiguredRoutes(Dictionary(grouping: routes, by: \.slot.channel).mapValues { $0.map(\.route) })
    }

    /// Checks what needs the rules for outbound calls, and that files with secrets can be read.
    func checkDelivery(problems: inout ConfigurationProblems) {
        for (slot, route) in routes { slot.check(route, in: settings, egress: egressPolicy, problems: &problems) }
    }
}
