import SessionDomain

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
