import Hummingbird
import SessionDomain

/// The routes for messages that an app has of its own, in the management API.
struct DeliveryConfigRoutes: Sendable {
    let delivery: DeliveryManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(DeliveryConfigBody(try await delivery.config(of: context.appID)))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let replacement = try await request.decodeExactly(DeliveryConfigChangeBody.self).validated()
        return try .config(DeliveryConfigBody(try await delivery.replace(replacement, app: context.appID)))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await delivery.delete(app: context.appID)
        return Response(status: .noContent)
    }
}

/// The routes of an app, in responses. Secrets are never shown, only whether there is one.
struct DeliveryConfigBody: Encodable {
    let email: [Route]
    let sms: [Route]
    let createdAt: String
    let updatedAt: String

    private enum CodingKeys: String, CodingKey {
        case email, sms
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ config: DeliveryConfig) {
        email = config.email.map(Route.init)
        sms = config.sms.map(Route.init)
        createdAt = config.createdAt.rfc3339
        updatedAt = config.updatedAt.rfc3339
    }

    struct Route: Encodable {
        let type: String
        let host: String?
        let port: Int?
        let tls: String?
        let auth: String?
        let username: String?
        let account: String?
        let url: String?
        let from: String?
        let secretSet: Bool

        private enum CodingKeys: String, CodingKey {
            case type, host, port, tls, auth, username, account, url, from
            case secretSet = "secret_set"
        }

        init(_ route: DeliveryConfig.Route) {
            let settings = route.settings
            type = settings.kind.rawValue
            host = settings.host
            port = settings.port
            tls = settings.tls?.rawValue
            auth = settings.authentication?.rawValue
            username = settings.username
            account = settings.account
            url = settings.url
            from = settings.from
            secretSet = route.sealedSecret != nil
        }
    }
}

/// The routes of an app in a request. They replace all stored ones.
struct DeliveryConfigChangeBody: Decodable {
    let email: [Route]?
    let sms: [Route]?

    struct Route: Decodable {
        let type: String
        let host: String?
        let port: Int?
        let tls: String?
        let auth: String?
        let username: String?
        let account: String?
        let url: String?
        let from: String?
        /// Absent: the stored secret is kept.
        let secret: String?
    }

    func validated() throws(Refusal) -> DeliveryManagement.Replacement {
        var routes: [OTPLoginConfig.Channel: [DeliveryManagement.Replacement.Route]] = [:]
        for (channel, bodies) in [(OTPLoginConfig.Channel.email, email ?? []), (.sms, sms ?? [])] {
            for (index, body) in bodies.enumerated() {
                routes[channel, default: []].append(try body.validated(field: "\(channel.rawValue)[\(index)]"))
            }
        }
        return DeliveryManagement.Replacement(routes)
    }
}

extension DeliveryConfigChangeBody.Route {
    fileprivate func validated(field: String) throws(Refusal) -> DeliveryManagement.Replacement.Route {
        DeliveryManagement.Replacement.Route(
            settings: RouteSettings(
                kind: try value(type, "\(field).type"), host: host, port: port,
                tls: try tls.map { text throws(Refusal) in try value(text, "\(field).tls") },
                authentication: try auth.map { text throws(Refusal) in try value(text, "\(field).auth") },
                username: username, account: account, url: url, from: from),
            secret: secret)
    }

    private func value<Value: CaseIterable & RawRepresentable>(
        _ text: String, _ field: String
    ) throws(Refusal) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidField(field, "must be one of \(names)")
        }
        return value
    }
}
