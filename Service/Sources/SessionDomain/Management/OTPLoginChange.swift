/// A change of one OTP login. It replaces all settings.
package struct OTPLoginChange: Sendable {
    /// The maximum number of OTP logins of one app.
    static let maximumPerApp = 20

    package var channel: OTPLoginConfig.Channel
    package var isDefault: Bool
    package var templateID: String?
    package var senderID: String?
    package var grantedScopes: [String]
    package var codeSize: Int

    package init(
        channel: OTPLoginConfig.Channel, isDefault: Bool = false, templateID: String? = nil, senderID: String? = nil,
        grantedScopes: [String] = [], codeSize: Int = 6
    ) {
        self.channel = channel
        self.isDefault = isDefault
        self.templateID = templateID
        self.senderID = senderID
        self.grantedScopes = grantedScopes
        self.codeSize = codeSize
    }

    /// - Parameter routes: The routes of the service, which an app without a mail route of its own uses.
    func check(in app: App, _ routes: ConfiguredRoutes) throws(Refusal) {
        try validate()
        try requireRegisteredScopes(app)
        guard channel == .email, let sender = senderID.flatMap(MailAddress.init),
            app.delivery?[.email].isEmpty != false, let domains = routes.senderDomains,
            !domains.contains(sender.domain.lowercased())
        else { return }
        throw .invalidField(
            "sender_id",
            "must be in a domain that the service sends mail from: \(domains.sorted().joined(separator: ", ")). The app can "
                + "send from others by a mail route of its own (config/delivery)")
    }

    func validate() throws(Refusal) {
        guard (4...10).contains(codeSize) else { throw .invalidField("code_size", "must be 4 to 10") }
        guard grantedScopes.count <= 20, grantedScopes.allSatisfy(Scope.isWellFormed) else {
            throw .invalidField("granted_scopes", "must be at most 20 scopes of letters, digits and . - _ :")
        }
        for (field, value) in [("template_id", templateID), ("sender_id", senderID)] {
            guard let value else { continue }
            guard value.count <= 100 else { throw .invalidField(field, "must have at most 100 characters") }
            guard DisplayName.isOneLine(value) else {
                throw .invalidField(field, "must be one line, without control characters and outer spaces")
            }
        }
        if channel == .email, let senderID, MailAddress(senderID) == nil {
            throw .invalidField(
                "sender_id", "must be a mail address, such as login@example.com or Example <login@example.com>")
        }
        if let problem = senderID.flatMap({ LinkedName.problem(inSender: $0, isMail: channel == .email) }) {
            throw .invalidField("sender_id", problem)
        }
    }

    /// Rejects scopes that are not registered: they would be missing in tokens without an error.
    func requireRegisteredScopes(_ app: App) throws(Refusal) {
        if let scope = grantedScopes.first(where: { !app.scopes.contains($0) }) {
            throw .invalidField(
                "granted_scopes", "contains \(scope), which is not registered; add it to config/scopes first")
        }
    }

    package func applied(to base: OTPLoginConfig) -> OTPLoginConfig {
        var config = base
        config.channel = channel
        config.isDefault = isDefault
        config.templateID = templateID
        config.senderID = senderID
        config.grantedScopes = grantedScopes
        config.codeSize = codeSize
        return config
    }
}
