/// Chooses the configuration that sends a code, and writes the message.
@available(service, *)
struct CodeSender: Sendable {
    let delivery: (any CodeDelivery)?
    let notices: SendNotices

    /// - Throws: `Refusal.noLoginConfig` if no delivery is configured.
    func requireDelivery() throws(Refusal) {
        guard delivery != nil else { throw .noLoginConfig("no delivery of codes is configured") }
    }

    /// The OTP login for an identifier: the named one, or else the default of the channel.
    func loginConfig(of app: App, for type: IdentifierType, id: String?) throws(Refusal) -> OTPLoginConfig {
        let fitting = app.otpLogins.filter { $0.channel.identifierType == type }
        if let id {
            guard let config = fitting.first(where: { $0.id == id }) else {
                throw .noLoginConfig("login_config_id names no OTP login for a \(type.rawValue)")
            }
            return config
        }
        guard let config = fitting.first(where: \.isDefault) ?? fitting.first else {
            throw .noLoginConfig("OTP login by \(type.rawValue) is not configured")
        }
        return config
    }

    /// Digits of a step-up code: the maximum over the OTP logins of the app, or else 6.
    func codeSize(_ app: App) -> Int { app.otpLogins.map(\.codeSize).max() ?? 6 }

    /// The answer to a caller for whom no code is sent. Reports a limit that concerns the whole app to the operator.
    func refusal(_ limit: ReachedLimit, app: AppID, now: Timestamp) -> Refusal {
        notices.report(limit, app: app, now: now)
        return limit.refusal(now: now)
    }

    /// Sends the code of a committed verification. The code of a suppressed one is not sent.
    func send(_ code: String, for verification: Verification, app: AppRuntime) throws(Refusal) {
        try requireDelivery()
        let message = CodeMessage(
            appID: app.settings.id, appName: app.settings.name, channel: .init(reaching: verification.identifier.type),
            to: verification.identifier.value, code: code,
            text: "\(code) is your code for \(app.settings.name). Never share it with anybody.",
            sentAt: verification.lastSentAt)
        if !verification.isSuppressed { delivery?.enqueue(message) }
    }
}

extension OTPLoginConfig.Channel {
    /// The channel that reaches a kind of identifier.
    init(reaching type: IdentifierType) {
        switch type {
        case .phoneNumber: self = .sms
        case .emailAddress: self = .email
        }
    }
}
