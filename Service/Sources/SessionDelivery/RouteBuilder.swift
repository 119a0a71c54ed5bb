package import SessionDomain
package import SessionEgress

/// Makes the routes that this target has.
package struct RouteBuilder: RouteFactory {
    private let dependencies: RouteDependencies

    package init(_ dependencies: RouteDependencies) { self.dependencies = dependencies }

    package func route(
        _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel, senderDomains: Set<String>?
    ) -> (any MessageRoute)? {
        let gateway: (any Gateway)?
        switch settings.kind {
        case .smtp: return SMTPRoute(settings, secret: secret, senderDomains: senderDomains, in: dependencies)
        case .webhook: return nil
        case .twilio: gateway = Twilio(settings)
        case .vonage: gateway = Vonage(settings)
        case .prelude: gateway = PreludeVerify(settings)
        }
        return gateway.map { GatewayRoute(channel: channel, gateway: $0, secret: secret, dependencies: dependencies) }
    }
}

/// What all routes share: the ways out of the service, and the clocks.
package struct RouteDependencies: Sendable {
    let egress: any Egress
    let pinning: HostPinning
    let workers: SMTPWorkers
    /// The path of a PEM file with authorities that are trusted in addition to the system's.
    let trustRoots: String?
    let now: @Sendable () -> Timestamp
    /// Milliseconds.
    let uptime: @Sendable () -> Int64

    package init(
        egress: any Egress, pinning: HostPinning, workers: SMTPWorkers? = nil, trustRoots: String?,
        environment: ServiceEnvironment
    ) {
        self.egress = egress
        self.pinning = pinning
        self.workers = workers ?? SMTPWorkers(sleep: environment.sleep)
        self.trustRoots = trustRoots
        now = environment.now
        uptime = environment.uptime
    }
}
