import SessionDelivery
import SessionDomain
import SessionEgress

/// The settings of one route, whose names begin with the same prefix.
struct RouteSlot: Sendable {
    /// All routes of a configuration: of each channel the first one, and the one that is tried after it.
    static let all = [
        RouteSlot(.email, "email"), RouteSlot(.email, "emailFallback", after: .emailRoute),
        RouteSlot(.sms, "sms"), RouteSlot(.sms, "smsFallback", after: .smsRoute),
    ]

    let channel: OTPLoginConfig.Channel
    private let prefix: String
    /// The type of the route that is tried first. `nil`: this one.
    private let first: ServiceConfiguration.Key?

    private init(_ channel: OTPLoginConfig.Channel, _ prefix: String, after first: ServiceConfiguration.Key? = nil) {
        self.channel = channel
        self.prefix = prefix
        self.first = first
    }

    /// Reads the route. `nil`: the settings have none.
    ///
    /// - Parameter problems: Gets everything that is wrong. Then the result must not be used.
    func route(in settings: Settings, problems: inout ConfigurationProblems) -> ConfiguredRoutes.Route? {
        guard let type = key("Route"), settings.string(type) != nil else {
            if let name = ServiceConfiguration.Key.allCases.first(where: { isOwn($0) && settings.string($0) != nil }) {
                let type = settings.name(of: "\(prefix)Route", beside: name)
                problems.add([settings.error(name, "needs \(type): the type of the route")])
            }
            return nil
        }
        if let first, settings.string(first) == nil {
            let name = settings.name(of: first.rawValue, beside: type)
            problems.add([settings.error(type, "needs \(name), which is tried first")])
        }
        let kind: RouteSettings.Kind? = choice("Route", in: settings, problems: &problems)
        let port: Int? = problems.value(nil) { try key("Port").flatMap { try settings.number($0) } }
        let tls: RouteSettings.TLSMode? = choice("Tls", in: settings, problems: &problems)
        let authentication: RouteSettings.Authentication? = choice("Auth", in: settings, problems: &problems)
        let secret: RouteSecret? = problems.value(nil) { try self.secret(in: settings) }
        guard let kind else { return nil }
        var route = RouteSettings(
            kind: kind, host: text("Host", in: settings), port: port, tls: tls, authentication: authentication,
            username: text("Username", in: settings), account: text("Account", in: settings),
            url: text("Url", in: settings), from: text("From", in: settings))
        let hasSecret = text("Secret", in: settings) != nil || text("SecretFile", in: settings) != nil
        let found = route.problems(for: channel, hasSecret: hasSecret)
        for problem in found {
            let file = settings.name(of: "\(prefix)SecretFile", beside: type)
            let place = problem.field == .secret && !hasSecret ? ", here or in \(file)" : ""
            let isFile = problem.field == .secret && text("SecretFile", in: settings) != nil
            let field = isFile ? "SecretFile" : Self.suffix(of: problem.field)
            problems.add([error(field, problem.problem + place, in: settings)])
        }
        // What is reported here is not checked again.
        let reported = found.map(\.field)
        if reported.contains(.host) { route.host = nil }
        if reported.contains(.url) { route.url = nil }
        return ConfiguredRoutes.Route(settings: route, secret: reported.contains(.secret) ? nil : secret)
    }

    /// Checks what needs the rules for outbound calls, and that a file with a secret can be read.
    func check(
        _ route: ConfiguredRoutes.Route, in settings: Settings, egress: EgressPolicy,
        problems: inout ConfigurationProblems
    ) {
        func check(_ url: String, _ field: String) {
            do {
                try egress.validate(url: url)
            } catch {
                problems.add([self.error(field, OwnNetworks.problem(error), in: settings)])
            }
        }
        if let url = route.settings.url { check(url, "Url") }
        if let host = route.settings.host { check("https://\(host.contains(":") ? "[\(host)]" : host)", "Host") }
        if case .file(let path)? = route.secret {
            do {
                _ = try RouteSecret.file(path).read()
            } catch {
                problems.checkMachine { problems in
                    problems.add([self.error("SecretFile", "\(path): \(error.reason)", in: settings)])
                }
            }
        }
    }

    /// The stronger source decides: a secret of the environment overrides a file that the settings file names.
    private func secret(in settings: Settings) throws -> RouteSecret? {
        var (secret, file) = (text("Secret", in: settings), text("SecretFile", in: settings))
        if let own = key("Secret"), let named = key("SecretFile") {
            if settings.overrides(own, named) { file = nil }
            if settings.overrides(named, own) { secret = nil }
        }
        switch (secret, file) {
        case (nil, nil): return nil
        case (nil, let file?): return .file(file)
        case (let secret?, nil):
            guard RouteSecret.isValid(secret) else {
                throw error("Secret", "must be one line of 1 to \(RouteSecret.maximumBytes) bytes", in: settings)
            }
            return .value(secret)
        case (_?, _?):
            let other = key("Secret").map { settings.name(of: $0.rawValue, beside: $0) } ?? "\(prefix)Secret"
            throw error("SecretFile", "is set, and \(other), too. Remove one of them", in: settings)
        }
    }

    /// The settings of the other route of the channel begin with the same word.
    private func isOwn(_ key: ServiceConfiguration.Key) -> Bool {
        key.rawValue.hasPrefix(prefix) && !key.rawValue.hasPrefix(prefix + "Fallback")
    }

    /// - Parameter field: The end of the setting's name, such as `Host`.
    private func key(_ field: String) -> ServiceConfiguration.Key? {
        ServiceConfiguration.Key(rawValue: prefix + field)
    }

    private func text(_ field: String, in settings: Settings) -> String? { key(field).flatMap(settings.string) }

    private func choice<Value: CaseIterable & RawRepresentable>(
        _ field: String, in settings: Settings, problems: inout ConfigurationProblems
    ) -> Value? where Value.RawValue == String {
        guard let text = text(field, in: settings) else { return nil }
        if let value = Value(rawValue: text.lowercased()) { return value }
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        problems.add([error(field, "must be one of \(names)", in: settings)])
        return nil
    }

    /// An error about a setting of this route. A missing one is named as the source of the route's type would name it.
    private func error(_ field: String, _ problem: String, in settings: Settings) -> ConfigurationError {
        let name = prefix + field
        guard let type = key("Route") else { return ConfigurationError(name, problem) }
        guard let key = key(field), settings.string(key) != nil else {
            return settings.error(missing: name, beside: type, problem)
        }
        return settings.error(key, problem)
    }

    private static func suffix(of field: RouteField) -> String {
        let name = field == .kind ? "route" : field.rawValue
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}

extension ServiceConfiguration {
    /// A route with the place of its settings.
    typealias PlacedRoute = (slot: RouteSlot, route: ConfiguredRoutes.Route)

    /// The routes for messages with these settings.
    static func routes(_ settings: Settings, problems: inout ConfigurationProblems) -> [PlacedRoute] {
        var routes: [PlacedRoute] = []
        for slot in RouteSlot.all {
            if let route = slot.route(in: settings, problems: &problems) { routes.append((slot, route)) }
        }
        return routes
    }

    /// The domains that mail servers send from, besides those of their own senders, with these settings.
    static func senderDomains(_ settings: Settings, ofServers servers: Int) throws -> Set<String>? {
        let texts = settings.list(.emailSenderDomains)
        let domains = texts.map(MailAddress.domain)
        if let invalid = zip(texts, domains).first(where: { $0.1 == nil })?.0 {
            throw settings.error(
                .emailSenderDomains,
                "must be domains of mail addresses, such as example.com: \"\(invalid.escapedForTerminal)\" is none")
        }
        guard texts.isEmpty || servers > 0 || settings.string(.emailRoute) == nil else {
            throw settings.error(.emailSenderDomains, "is a setting of smtp routes only")
        }
        return Set(domains.compactMap { $0 })
    }

    /// How messages are sent. Empty: no delivery is configured.
    var delivery: ConfiguredRoutes {
        ConfiguredRoutes(
            Dictionary(grouping: routes, by: \.slot.channel).mapValues { $0.map(\.route) },
            furtherSenderDomains: senderDomains)
    }

    /// Checks what needs the rules for outbound calls, and that files with secrets can be read.
    func checkDelivery(problems: inout ConfigurationProblems) {
        for (slot, route) in routes { slot.check(route, in: settings, egress: egressPolicy, problems: &problems) }
    }
}
