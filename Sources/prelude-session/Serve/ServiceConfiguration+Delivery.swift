import SessionDomain
import SessionEgress

@available(service, *)
extension ServiceConfiguration {
    /// The places of routes: the first one of a channel, and the one that is tried after it.
    private static let slots: [(channel: OTPLoginConfig.Channel, prefix: String)] = [
        (.email, "email"), (.email, "emailFallback"), (.sms, "sms"), (.sms, "smsFallback"),
    ]

    /// The routes for messages with these settings.
    static func delivery(_ settings: Settings, problems: inout ConfigurationProblems) -> ConfiguredRoutes {
        var routes = ConfiguredRoutes()
        for (channel, prefix) in slots {
            let slot = RouteSlot(prefix: prefix, settings: settings)
            let route = problems.value(nil) { () throws -> ConfiguredRoutes.Route? in
                guard let route = try slot.route(for: channel) else { return nil }
                let isSecond = prefix.hasSuffix("Fallback")
                guard !isSecond || !routes[channel].isEmpty || settings.string(slot.first) != nil else {
                    throw slot.error("Route", "needs \(slot.first.rawValue), which is tried first")
                }
                return route
            }
            if let route { routes.routes[channel, default: []].append(route) }
        }
        return routes
    }

    /// Checks what needs the rules for outbound calls, and that files with secrets can be read.
    func checkDelivery(_ egress: any Egress) throws {
        for (channel, prefix) in Self.slots {
            let index = prefix.hasSuffix("Fallback") ? 1 : 0
            guard delivery[channel].indices.contains(index) else { continue }
            let slot = RouteSlot(prefix: prefix, settings: settings)
            let route = delivery[channel][index]
            func check(_ url: String, _ field: String) throws {
                do {
                    try egress.validate(url: url)
                } catch {
                    throw slot.error(field, error.summary)
                }
            }
            if let url = route.settings.url { try check(url, "Url") }
            if let host = route.settings.host {
                try check("https://\(host.contains(":") ? "[\(host)]" : host)", "Host")
            }
            do {
                _ = try route.secret?.read()
            } catch {
                throw slot.error("SecretFile", error.reason)
            }
        }
    }
}

/// The settings of one route, whose names have the same beginning.
@available(service, *)
private struct RouteSlot {
    let prefix: String
    let settings: Settings

    func route(for channel: OTPLoginConfig.Channel) throws -> ConfiguredRoutes.Route? {
        guard let kind: RouteSettings.Kind = try choice("Route") else {
            if let name = ServiceConfiguration.Key.allCases.first(where: { isOwn($0) && settings.string($0) != nil }) {
                throw settings.error(name, "needs \(prefix)Route: the type of the route")
            }
            return nil
        }
        let route = RouteSettings(
            kind: kind, host: text("Host"), port: try key("Port").flatMap { try settings.number($0, in: 1...65535) },
            tls: try choice("Tls"), authentication: try choice("Auth"), username: text("Username"),
            account: text("Account"), url: text("Url"), from: text("From"))
        let secret = try secret()
        do throws(RouteProblem) {
            try route.check(for: channel, hasSecret: secret != nil)
        } catch {
            let file = error.field == .secret ? ", here or in \(prefix)SecretFile" : ""
            throw self.error(Self.suffix(of: error.field), error.problem + file)
        }
        return ConfiguredRoutes.Route(settings: route, secret: secret)
    }

    private func secret() throws -> RouteSecret? {
        switch (text("Secret"), text("SecretFile")) {
        case (nil, nil): return nil
        case (nil, let file?): return .file(file)
        case (let secret?, nil):
            guard RouteSecret.isValid(secret) else {
                throw error("Secret", "must be one line of 1 to \(RouteSecret.maximumBytes) bytes")
            }
            return .value(secret)
        case (_?, _?):
            throw error("SecretFile", "is set, and \(prefix)Secret, too. Remove one of them")
        }
    }

    /// The settings of the other route of the channel begin with the same word.
    private func isOwn(_ key: ServiceConfiguration.Key) -> Bool {
        key.rawValue.hasPrefix(prefix) && !key.rawValue.hasPrefix(prefix + "Fallback")
    }

    private func key(_ field: String) -> ServiceConfiguration.Key? {
        ServiceConfiguration.Key(rawValue: prefix + field)
    }

    private func text(_ field: String) -> String? { key(field).flatMap(settings.string) }

    private func choice<Value: CaseIterable & RawRepresentable>(_ field: String) throws -> Value?
    where Value.RawValue == String {
        guard let text = text(field) else { return nil }
        guard let value = Value(rawValue: text.lowercased()) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(field, "must be one of \(names)")
        }
        return value
    }

    /// The type of the route of the same channel that is tried first.
    var first: ServiceConfiguration.Key { prefix.hasPrefix("email") ? .emailRoute : .smsRoute }

    /// - Parameter field: The end of the setting's name, such as `Host`.
    func error(_ field: String, _ problem: String) -> ConfigurationError {
        key(field).map { settings.error($0, problem) } ?? ConfigurationError(prefix + field, problem)
    }

    private static func suffix(of field: RouteField) -> String {
        let name = field == .kind ? "route" : field.rawValue
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}
