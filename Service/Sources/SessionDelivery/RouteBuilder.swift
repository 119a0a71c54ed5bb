package import SessionDomain

/// Makes the routes that this target has.
package struct RouteBuilder: RouteFactory {
    private let surroundings: RouteSurroundings

    package init(_ surroundings: RouteSurroundings) { self.surroundings = surroundings }

    package func route(
        _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel, senderDomains: Set<String>?
    ) -> (any MessageRoute)? {
        let gateway: (any Gateway)?
        switch settings.kind {
        case .smtp: return SMTPRoute(settings, secret: secret, senderDomains: senderDomains, in: surroundings)
        case .webhook: return nil
        case .twilio: gateway = Twilio(settings)
        case .vonage: gateway = Vonage(settings)
        case .prelude: gateway = PreludeVerify(settings)
        }
        return gateway.map { GatewayRoute(channel: channel, gateway: $0, secret: secret, surroundings: surroundings) }
    }
}
