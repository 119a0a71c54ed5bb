/// Reads and changes the routes that an app has of its own.
package struct DeliveryManagement: Sendable {
    /// The routes that replace those of an app, by channel. A missing channel uses the routes of the service.
    package struct Replacement: Sendable {
        package struct Route: Sendable {
            package let settings: RouteSettings
            /// `nil` keeps the stored secret if the route goes to the same place.
            package let secret: String?

            package init(settings: RouteSettings, secret: String?) {
                self.settings = settings
                self.secret = secret
            }
        }

        package let routes: [OTPLoginConfig.Channel: [Route]]

        package init(_ routes: [OTPLoginConfig.Channel: [Route]]) { self.routes = routes }
    }

    private let apps: AppManagement
    private let keys: KeyRing
    private let hookKeys: HookKeys
    private let egress: any Egress
    private let environment: ServiceEnvironment

    init(
        apps: AppManagement, keys: KeyRing, hookKeys: HookKeys, egress: any Egress, environment: ServiceEnvironment
    ) {
        self.apps = apps
        self.keys = keys
        self.hookKeys = hookKeys
        self.egress = egress
        self.environment = environment
    }

    package func config(of app: AppID) async throws -> DeliveryConfig {
        guard let config = try await apps.app(app).delivery else {
            throw Refusal.notFound("the app has no delivery of its own: it uses the routes of the service")
        }
        return config
    }

    /// Replaces all routes of the app.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the invalid field, such as `email[0].host`.
    package func replace(_ replacement: Replacement, app: AppID) async throws -> DeliveryConfig {
        _ = try await apps.app(app)
        let routes = OTPLoginConfig.Channel.allCases.flatMap { replacement.routes[$0] ?? [] }
        guard !routes.isEmpty else {
            throw Refusal.invalidField("email", "or sms must have a route; DELETE removes all routes")
        }
        // The key is published well before it signs the first request.
        if routes.contains(where: { $0.settings.kind == .webhook }) { try await hookKeys.ensure(app: app) }
        let (keys, now, egress) = (keys, environment.now(), egress)
        return try await apps.update(app) { app in
            var config = DeliveryConfig(at: now)
            config.createdAt = app.delivery?.createdAt ?? now
            config.updatedAt = Self.time(now, after: app.delivery)
            for channel in OTPLoginConfig.Channel.allCases {
                let own = replacement.routes[channel] ?? []
                guard own.count <= DeliveryConfig.maximumRoutes else {
                    throw Refusal.invalidField(
                        channel.rawValue, "must have at most \(DeliveryConfig.maximumRoutes) routes")
                }
                config[channel] = try own.enumerated().map { index, route in
                    let before = own.prefix(index).filter { $0.settings.hasSameDestination(as: route.settings) }
                    return try Self.checked(
                        route, keeping: app.delivery?.secret(for: route.settings, after: before.count, by: channel),
                        field: "\(channel.rawValue)[\(index)]", channel: channel, of: app.id, keys: keys, egress: egress
                    )
                }
            }
            app.delivery = config
            return config
        }
    }

    /// Replaces one route of a channel, or adds one after those that are there. The others stay as they are.
    ///
    /// - Parameters:
    ///   - index: The place of the route in its channel.
    ///   - version: `version(of:)` of the routes that the operator has seen.
    /// - Throws: `Refusal.invalidField` with the name of the invalid setting, such as `host`; `.conflict` if the routes have
    ///   changed since.
    package func set(
        _ route: Replacement.Route, at index: Int, by channel: OTPLoginConfig.Channel, of version: String, app: AppID
    ) async throws -> DeliveryConfig {
        _ = try await apps.app(app)
        if route.settings.kind == .webhook { try await hookKeys.ensure(app: app) }
        let (keys, now, egress) = (keys, environment.now(), egress)
        return try await apps.update(app) { app in
            try Self.check(version, app.delivery)
            var config = app.delivery ?? DeliveryConfig(at: now)
            guard (0..<DeliveryConfig.maximumRoutes).contains(index), index <= config[channel].count else {
                throw Self.unknownRoute
            }
            let stored = index < config[channel].count ? config[channel][index] : nil
            let kept = stored.flatMap { $0.settings.hasSameDestination(as: route.settings) ? $0.sealedSecret : nil }
            let checked = try Self.checked(
                route, keeping: kept, field: nil, channel: channel, of: app.id, keys: keys, egress: egress)
            config[channel].replaceSubrange(index..<(stored == nil ? index : index + 1), with: [checked])
            config.updatedAt = Self.time(now, after: app.delivery)
            app.delivery = config
            return config
        }
    }

    /// Removes one route of a channel. A channel without routes uses those of the service.
    ///
    /// - Parameter version: As for `set`.
    package func remove(
        at index: Int, by channel: OTPLoginConfig.Channel, of version: String, app: AppID
    ) async throws {
        let now = environment.now()
        try await apps.update(app) { app in
            try Self.check(version, app.delivery)
            guard var config = app.delivery, config[channel].indices.contains(index) else { throw Self.unknownRoute }
            config[channel].remove(at: index)
            config.updatedAt = Self.time(now, after: app.delivery)
            app.delivery = OTPLoginConfig.Channel.allCases.allSatisfy { config[$0].isEmpty } ? nil : config
        }
    }

    /// Names the routes of an app as they are now. A route is changed by its place, which another change can move.
    package static func version(of config: DeliveryConfig?) -> String {
        config.map { String($0.updatedAt.milliseconds) } ?? ""
    }

    private static func check(_ version: String, _ config: DeliveryConfig?) throws(Refusal) {
        guard version == self.version(of: config) else {
            throw .conflict("the routes have changed meanwhile; load the page again")
        }
    }

    /// The time of a change. No two changes of an app's routes have the same one.
    private static func time(_ now: Timestamp, after old: DeliveryConfig?) -> Timestamp {
        old.map { max(now, Timestamp(milliseconds: $0.updatedAt.milliseconds + 1)) } ?? now
    }

    private static let unknownRoute = Refusal.notFound("the app has no such route")

    /// Removes all routes of the app.
    package func delete(app: AppID) async throws {
        try await apps.update(app) { app in
            guard app.delivery != nil else { throw Refusal.notFound("the app has no delivery of its own") }
            app.delivery = nil
        }
    }

    /// - Parameter place: The member that contains the route, such as `email[0]`. `nil`: fields have the names of settings.
    private static func checked(
        _ route: Replacement.Route, keeping kept: String?, field place: String?, channel: OTPLoginConfig.Channel,
        of app: AppID, keys: KeyRing, egress: any Egress
    ) throws -> DeliveryConfig.Route {
        let settings = route.settings
        let field = { (name: RouteField) in (place.map { $0 + "." } ?? "") + name.rawValue }
        if let secret = route.secret, !RouteSecret.isValid(secret) {
            throw Refusal.invalidField(field(.secret), "must be one line of 1 to \(RouteSecret.maximumBytes) bytes")
        }
        do throws(RouteProblem) {
            try settings.check(for: channel, hasSecret: route.secret != nil || kept != nil)
        } catch {
            throw Refusal.invalidField(field(error.field), error.problem)
        }
        if let url = settings.url { try egress.check(url, field: field(.url)) }
        if let host = settings.host {
            try egress.check("https://\(host.contains(":") ? "[\(host)]" : host)", field: field(.host))
        }
        let sealed = try route.secret.map {
            try keys.seal($0, of: settings.kind, channel: channel, app: app)
        }
        return DeliveryConfig.Route(settings: settings, sealedSecret: sealed ?? kept)
    }
}
