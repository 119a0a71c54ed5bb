/// A channel for codes, with its settings.
package struct OTPLoginConfig: DatedSettings {
    package enum Channel: String, Sendable, Codable, CaseIterable {
        case sms, email

        /// The kind of identifier that this channel reaches.
        package var identifierType: IdentifierType {
            switch self {
            case .sms: .phoneNumber
            case .email: .emailAddress
            }
        }
    }

    package internal(set) var id: String
    package var channel: Channel
    /// Whether it is used for requests that name no configuration.
    package var isDefault: Bool
    package var templateID: String?
    package var senderID: String?
    /// Scopes that this login grants to the session.
    package var grantedScopes: [String] = []
    /// Digits of a code.
    package var codeSize = 6
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(id: String, channel: Channel, isDefault: Bool, at time: Timestamp) {
        self.id = id
        self.channel = channel
        self.isDefault = isDefault
        createdAt = time
        updatedAt = time
    }
}

extension OTPLoginConfig {
    package static let defaults = Self(id: "", channel: .email, isDefault: false, at: .never)

    package static let schema = SettingsSchema<Self>(
        "login.otp",
        [
            .init(
                nil,
                [
                    .choice(
                        "channel_type", \.channel, "Channel", [.sms: "SMS", .email: "E-mail"], isRequired: true
                    ).stored(as: "channel"),
                    .flag(
                        "is_default", \.isDefault, "Default of its channel",
                        hint: "It is used when an app names no login."),
                    .number("code_size", \.codeSize, from: 4, to: 10, "Digits of a code"),
                    .lines(
                        "granted_scopes", \.grantedScopes, "Granted scopes",
                        rule: "at most 20 scopes of letters, digits and . - _ :",
                        hint: "One per line. Each must be registered in the app."
                    ) { scopes, _ in scopes.count <= 20 && scopes.allSatisfy(Scope.isWellFormed) },
                    .text("template_id", \.templateID, "Template id", hint: "For your own message route.")
                        .checked { login, _ throws(Refusal) in try checkLine(login.templateID, "template_id") }
                        .stored(as: "templateID"),
                    .text(
                        "sender_id", \.senderID, "Sender id",
                        hint: "The sender of the messages. Mail of the service is sent from its own domains only."
                    )
                    .checked(isRelative: true) { login, _ throws(Refusal) in try login.checkSender() }
                    .stored(as: "senderID"),
                ])
        ])

    private enum OwnKeys: CodingKey { case id }

    package func encode(to encoder: any Encoder) throws {
        try write(to: encoder)
        var stored = encoder.container(keyedBy: OwnKeys.self)
        try stored.encode(id, forKey: .id)
    }

    package init(from decoder: any Decoder) throws {
        let id = try decoder.container(keyedBy: OwnKeys.self).decode(String.self, forKey: .id)
        self.init(id: id, channel: .email, isDefault: false, at: .never)
        try read(decoder)
    }

    private static func checkLine(_ text: String?, _ field: String) throws(Refusal) {
        guard let text else { return }
        guard text.count <= 100 else { throw .invalidField(field, "must have at most 100 characters") }
        guard DisplayName.isOneLine(text) else {
            throw .invalidField(field, "must be one line, without control characters and outer spaces")
        }
    }

    private func checkSender() throws(Refusal) {
        try Self.checkLine(senderID, "sender_id")
        guard let senderID else { return }
        if channel == .email, MailAddress(senderID) == nil {
            throw .invalidField(
                "sender_id", "must be a mail address, such as login@example.com or Example <login@example.com>")
        }
        if let problem = LinkedName.problem(inSender: senderID, isMail: channel == .email) {
            throw .invalidField("sender_id", problem)
        }
    }
}

extension OTPLoginConfig {
    /// The maximum number of logins with a code of one app.
    package static let maximumPerApp = 20

    /// Rejects settings that creating or replacing a login would reject.
    ///
    /// - Parameter routes: The routes of the service, which an app without a mail route of its own uses.
    func check(in app: App, _ routes: ConfiguredRoutes) throws(Refusal) {
        try Self.schema.check(self)
        // A scope that is not registered would be missing in tokens without an error.
        if let scope = grantedScopes.first(where: { !app.scopes.contains($0) }) {
            throw .invalidField(
                "granted_scopes", "contains \(scope), which is not registered; add it to config/scopes first")
        }
        guard channel == .email, let sender = senderID.flatMap(MailAddress.init),
            app.delivery?[.email].isEmpty != false, let domains = routes.senderDomains,
            !domains.contains(sender.domain.lowercased())
        else { return }
        throw .invalidField(
            "sender_id",
            "must be in a domain that the service sends mail from: \(domains.sorted().joined(separator: ", ")). The app can "
                + "send from others by a mail route of its own (config/delivery)")
    }
}
