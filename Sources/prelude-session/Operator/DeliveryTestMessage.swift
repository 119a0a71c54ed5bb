import SessionDomain

/// The message of `delivery test`. Its code opens nothing; gateways that send codes only need one.
struct DeliveryTestMessage {
    let to: CanonicalIdentifier
    let app: App?
    /// Seconds after which the message expires.
    let timeout: Int

    var channel: OTPLoginConfig.Channel { to.type == .emailAddress ? .email : .sms }

    /// A new message, whose life begins now.
    func message(_ environment: ServiceEnvironment) -> OutboundMessage {
        let name = app?.name ?? "PreludeSession"
        let code = String(repeating: "0", count: app?.otpLogins.first { $0.channel == channel }?.codeSize ?? 6)
        let login = app?.otpLogins.first { $0.channel == channel && $0.isDefault }
        return OutboundMessage(
            id: environment.newID("msg"), appID: app?.id ?? .service, appName: name, channel: channel, purpose: .signIn,
            to: to.value, locale: "en", code: code, subject: channel == .email ? "Test message of \(name)" : nil,
            text: "\(code) is a test of the delivery of codes for \(name). It opens nothing.", html: nil,
            senderID: login?.senderID, templateID: login?.templateID, expiresAt: environment.now() + timeout)
    }
}
