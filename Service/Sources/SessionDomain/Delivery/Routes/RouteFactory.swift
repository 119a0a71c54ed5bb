/// Makes the routes to servers and gateways. The domain itself has the one to a webhook.
package protocol RouteFactory: Sendable {
    /// - Parameter senderDomains: The domains that a mail server of the service sends from, besides that of its own sender:
    ///   all apps use it that have none of their own. `nil`: an app's own route, which sends what its server accepts.
    /// - Returns: `nil` for settings that `RouteSettings.check` rejects, and for a webhook.
    func route(
        _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel, senderDomains: Set<String>?
    ) -> (any MessageRoute)?
}
