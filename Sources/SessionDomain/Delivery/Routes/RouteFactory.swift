/// Makes the routes to servers and gateways. The domain itself has the one to a webhook.
package protocol RouteFactory: Sendable {
    /// - Returns: `nil` for settings that `RouteSettings.check` rejects, and for a webhook.
    func route(
        _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel
    ) -> (any MessageRoute)?
}
