import SessionDomain

/// One route of an app: its settings by its type, and its removal.
enum RoutePage {
    static func add(to routes: ConsoleRoutes) {
        let route = "/delivery/:channel/:place"
        routes.appPage(route, show)
        routes.appForm(route, on: show) { console, form in
            let (channel, index) = try console.place
            let change = DeliveryManagement.Replacement.Route(
                settings: try RouteFields.settings(form), secret: form.text("secret").flatMap { $0.isEmpty ? nil : $0 })
            _ = try await console.service.delivery.set(
                change, at: index, by: channel, of: form.text(version) ?? "", app: console.app.id)
            return .redirect(console.path / "delivery", .saved)
        }
        routes.appPage(route + "/remove", showRemoval)
        routes.appForm(route + "/remove", on: showRemoval) { console, form in
            let (channel, index) = try console.place
            try await console.service.delivery.remove(
                at: index, by: channel, of: form.text(version) ?? "", app: console.app.id)
            return .redirect(console.path / "delivery", .deleted)
        }
    }

    /// The field with the version of the routes. A page that is shown again after a conflict keeps the old one: its fields may
    /// be those of another route.
    private static let version = "version"

    private static func field(_ form: FormView, _ console: ConsoleAppContext) -> HTML {
        form.hidden(
            version,
            console.context.problem?.entered.text(version) ?? DeliveryManagement.version(of: console.app.delivery))
    }

    @Sendable private static func show(_ console: ConsoleAppContext) async throws -> Page {
        let (channel, index) = try console.place
        let own = console.app.delivery?[channel] ?? []
        guard index <= own.count else { throw Refusal.notFound("the app has no such route") }
        let stored = index < own.count ? own[index] : nil
        let asked = console.context.problem?.entered.text("type") ?? console.context.query.text("type")
        let kind =
            asked.flatMap { RouteSettings.Kind(rawValue: $0) }.flatMap { channel.routeKinds.contains($0) ? $0 : nil }
            ?? stored?.settings.kind ?? channel.routeKinds[0]
        let path = console.routePath(channel, index)
        return page("Route \(index + 1) for \(channel.noun)", console) {
            H.section(.class("card")) {
                if console.context.canWrite { types(of: channel, chosen: kind, path) }
                FormView.form(console.context, path, id: "route", submit: "Save the route") { form in
                    form.hidden("type", kind.rawValue)
                    field(form, console)
                    if !form.canWrite { Format.pair("Type", kind.title) }
                    RouteFields.html(form, kind, stored?.settings.kind == kind ? stored : nil, channel)
                }
            }
        }
    }

    /// Links, because the fields depend on the type, and the page has no script.
    private static func types(
        of channel: OTPLoginConfig.Channel, chosen: RouteSettings.Kind, _ path: ConsolePath
    ) -> HTML {
        H.nav(.class("pages"), .aria(label: "Type of the route")) {
            for kind in channel.routeKinds {
                H.a(
                    .class(kind == chosen ? "button small primary" : "button small"),
                    .href(path.query(["type": kind.rawValue])), kind == chosen ? .aria(current: "page") : nil
                ) { kind.title }
            }
        }
    }

    @Sendable private static func showRemoval(_ console: ConsoleAppContext) async throws -> Page {
        let (channel, index) = try console.place
        let own = console.app.delivery?[channel] ?? []
        guard index < own.count else { throw Refusal.notFound("the app has no such route") }
        let left = console.service.deliveryRoutes.names(ofService: channel)
        let lost =
            own.count == 1 && left.isEmpty ? try await AffectedUsers.losing(channel, in: console.app, console) : []
        return page("Remove route \(index + 1) for \(channel.noun)", console) {
            ConfirmPage.content(
                console.context, console.routePath(channel, index) / "remove",
                consequences: [
                    own.count > 1
                        ? "Messages by \(channel.noun) go by the other route of the app."
                        : left.isEmpty
                            ? "The service has no route for \(channel.noun): logins by \(channel.noun) are rejected."
                            : "Messages by \(channel.noun) go by the routes of the service: \(left.joined(separator: ", "))."
                ] + lost + [
                    "The settings of the route and its secret are deleted.",
                    own.count > 1 || !left.isEmpty
                        ? "Messages that wait are sent by the remaining routes."
                        : "Codes that wait are sent if there is a route again before they expire. Notices are not sent.",
                ], submit: "Remove the route", back: console.path / "delivery"
            ) { form in field(form, console) }
        }
    }

    private static func page(_ title: String, _ console: ConsoleAppContext, content: () -> HTML) -> Page {
        Page(title, app: console.app, section: .delivery, parent: ("Delivery", console.path / "delivery")) { content() }
    }
}

extension ConsoleAppContext {
    /// The channel of the path.
    var channel: OTPLoginConfig.Channel {
        get throws(Refusal) {
            guard let channel = OTPLoginConfig.Channel(rawValue: parameter("channel")) else {
                throw .notFound("there is no such channel")
            }
            return channel
        }
    }

    /// The channel and the place of the route of the path.
    fileprivate var place: (OTPLoginConfig.Channel, Int) {
        get throws(Refusal) {
            guard let number = Int(parameter("place")), (1...DeliveryConfig.maximumRoutes).contains(number) else {
                throw .notFound("there is no such route")
            }
            return (try channel, number - 1)
        }
    }
}

/// The fields of a route: those that its type has.
private enum RouteFields {
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
