import SessionDomain

/// The fields of a route: those that its type has.
enum RouteFields {
    private static let automatic = ""

    /// - Parameter stored: The route as it is, if it has this type.
    static func html(
        _ form: FormView, _ kind: RouteSettings.Kind, _ stored: DeliveryConfig.Route?, _ channel: OTPLoginConfig.Channel
    ) -> HTML {
        let fields = kind.required.union(kind.optional)
        let settings = stored?.settings
        return HTML(
            joining: RouteField.allCases.filter(fields.contains).map { field -> HTML in
                let isRequired = kind.required.contains(field)
                let label = label(of: field, kind)
                switch field {
                case .kind: return .empty
                case .tls:
                    return form.choice(
                        "tls", label,
                        [
                            (automatic, "By the port"), ("starttls", "STARTTLS, usual with port 587"),
                            ("implicit", "From the first byte, usual with port 465"),
                        ], selected: settings?.tls?.rawValue ?? automatic)
                case .authentication:
                    return form.choice(
                        "auth", label,
                        [(automatic, "As the server offers")]
                            + RouteSettings.Authentication.allCases.map { ($0.rawValue, $0.rawValue.uppercased()) },
                        selected: settings?.authentication?.rawValue ?? automatic)
                case .secret: return secret(form, label, isSet: stored?.sealedSecret != nil, isRequired: isRequired)
                case .host, .port, .username, .account, .url, .from:
                    return form.text(
                        field.rawValue, label, value(of: field, settings), hint: hint(for: field, kind, channel),
                        type: field == .url ? "url" : "text", isRequired: isRequired)
                }
            })
    }

    /// The secret is never shown. Its type makes the field empty, also after an error.
    private static func secret(_ form: FormView, _ label: String, isSet: Bool, isRequired: Bool) -> HTML {
        form.text(
            "secret", label, isSet ? "Set" : "Not set",
            hint: isSet
                ? "A secret is set. Leave the field empty to keep it; for another server or account enter it again."
                : "No secret is set.", type: "password", autocomplete: "new-password", isRequired: isRequired && !isSet)
    }

    private static func label(of field: RouteField, _ kind: RouteSettings.Kind) -> String {
        switch (field, kind) {
        case (.kind, _): "Type"
        case (.host, _): "Server"
        case (.port, _): "Port"
        case (.tls, _): "TLS"
        case (.authentication, _): "Sign-in method"
        case (.username, .twilio): "SID of an API key"
        case (.username, .vonage): "API key"
        case (.username, _): "User name"
        case (.secret, .smtp): "Password"
        case (.secret, .twilio): "Auth token or secret of the API key"
        case (.secret, .vonage): "API secret"
        case (.secret, _): "API token"
        case (.account, _): "Account SID"
        case (.url, .webhook): "URL of your backend"
        case (.url, _): "Base URL"
        case (.from, _): "Sender"
        }
    }

    private static func hint(
        for field: RouteField, _ kind: RouteSettings.Kind, _ channel: OTPLoginConfig.Channel
    ) -> String? {
        switch (field, kind) {
        case (.host, _): "Without a port, such as mail.example.com. It must be reachable from the service."
        case (.port, _): "Empty: 587, or 465 with TLS from the first byte."
        case (.username, .smtp): "Empty if the server asks for no sign-in."
        case (.username, .twilio): "Empty if the token is that of the account."
        case (.url, .webhook): "Your backend gets each message in a signed request, and sends it."
        case (.url, _): "Empty, or that of another region of the provider."
        case (.from, .prelude): "Empty: the provider chooses."
        case (.from, _):
            channel == .email
                ? "login@example.com or Example <login@example.com>." : "A phone number or a sender id."
        default: nil
        }
    }

    private static func value(of field: RouteField, _ settings: RouteSettings?) -> String? {
        switch field {
        case .host: settings?.host
        case .port: settings?.port.map { String($0) }
        case .username: settings?.username
        case .account: settings?.account
        case .url: settings?.url
        case .from: settings?.from
        case .kind, .tls, .authentication, .secret: nil
        }
    }

    static func settings(_ form: FormBody) throws(Refusal) -> RouteSettings {
        RouteSettings(
            kind: try form.choice("type", RouteSettings.Kind.allCases), host: form.filled("host"),
            port: form.filled("port") == nil ? nil : try form.number("port"),
            tls: form.filled("tls") == nil ? nil : try form.choice("tls", RouteSettings.TLSMode.allCases),
            authentication: form.filled("auth") == nil
                ? nil : try form.choice("auth", RouteSettings.Authentication.allCases),
            username: form.filled("username"), account: form.filled("account"), url: form.filled("url"),
            from: form.filled("from"))
    }
}
