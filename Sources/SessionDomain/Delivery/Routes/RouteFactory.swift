/// Makes the routes to servers and gateways. The domain itself has the one to a webhook.
package protocol RouteFactory: Sendable {
    /// - Parameter isOfService: Whether it is a route of the service, which all apps use that have none of their own.
    /// - Returns: `nil` for settings that `RouteSettings.check` rejects, and for a webhook.
    func route(
        _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel, isOfService: Bool
    ) -> (any MessageRoute)?
}
