/// A test message. Its code opens nothing; gateways that send codes only need one.
package struct DeliveryTestMessage: Sendable {
    package let to: CanonicalIdentifier
    package let app: App?
    /// Seconds after which the message expires.
    package let timeout: Int

    package init(to recipient: CanonicalIdentifier, app: App?, timeout: Int) {
        to = recipient
        self.app = app
        self.timeout = timeout
    }

    package var channel: OTPLoginConfig.Channel { to.type == .emailAddress ? .email : .sms }

    /// A new message, whose life begins now.
    package func message(_ environment: ServiceEnvironment) -> OutboundMessage {
        let name = app?.nameInMessages ?? "PreludeSession"
        let logins = app?.otpLogins.filter { $0.channel == channel } ?? []
        let login = logins.first(where: \.isDefault) ?? logins.first
        let code = String(repeating: "0", count: login?.codeSize ?? 6)
        return OutboundMessage(
            id: environment.newID("msg"), appID: app?.id ?? .service, appName: name, channel: channel, purpose: .signIn,
            to: to.value, locale: "en", code: code, subject: channel == .email ? "Test message of \(name)" : nil,
            text: "\(code) is a test of the delivery of codes for \(name). It opens nothing.", html: nil,
            senderID: login?.senderID, templateID: login?.templateID, expiresAt: environment.now() + timeout)
    }
}
