import Hummingbird
import SessionDomain
import SessionTokens

/// Apps and their settings in the management API.
struct AppRoutes: Sendable {
    let apps: AppManagement
    let settings: SettingsManagement

    @Sendable func list(_ request: Request, context: AllAppsContext) async throws -> Response {
        try .json(AppListBody(apps: try await apps.apps().map(\.body)))
    }

    @Sendable func create(_ request: Request, context: AllAppsContext) async throws -> Response {
        let body = try await request.decodeExactly(AppChangeBody.self)
        guard body.settings.names.contains("name") else { throw Refusal.invalidField("name", "is required") }
        let app = try await apps.create(id: body.id, name: "") { body.settings.change(&$0) }
        return try .json(app.body, status: .created)
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(try await apps.app(context.appID).body)
    }

    /// Changes the members that the body names.
    @Sendable func update(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(AppChangeBody.self)
        let changed = try await settings.update(App.self, of: context.appID, by: context.managementKey) { app in
            body.settings.change(&app)
        }
        return try .json(changed.group.body)
    }
}

extension App {
    /// An app as the management API shows it.
    fileprivate var body: [String: JSONValue] {
        Self.schema.json(self)
            .merging(["id": .string(id.rawValue), "created_at": .string(createdAt.rfc3339)]) { own, _ in own }
    }
}

private struct AppListBody: Encodable { let apps: [[String: JSONValue]] }

/// The settings of an app in a request. A missing member keeps its value.
struct AppChangeBody: Decodable {
    /// The id of a new app. `PATCH` changes no id.
    let id: AppID?
    let settings: SettingsBody<App>

    private enum CodingKeys: CodingKey { case id }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // All members are read before one is refused.
        let id = Result { try container.decodeIfPresent(String.self, forKey: .id) }
        settings = try SettingsBody(from: decoder)
        self.id = try id.get().map { text in
            guard let id = AppID(text) else {
                throw Refusal.invalidField("id", "must be 7 lower-case letters or digits")
            }
            return id
        }
    }
}

/// A custom domain as the management API shows it.
struct DomainBody: Encodable {
    let id: String
    let domain: String

    init(_ domain: CustomDomain) {
        id = domain.id
        self.domain = domain.name
    }
}

struct DomainListBody: Encodable { let domains: [DomainBody] }

struct AddDomainBody: Decodable { let domain: String }

/// The custom domains of an app in the management API, one by one. `PATCH` of the app replaces all of them.
struct DomainRoutes: Sendable {
    let apps: AppManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let app = try await apps.app(context.appID)
        return try .json(DomainListBody(domains: app.customDomains.map(DomainBody.init)))
    }

    /// A repeated call has no effect.
    @Sendable func add(_ request: Request, context: OperatorContext) async throws -> Response {
        let name = try await request.decodeExactly(AddDomainBody.self).domain
        try requireAllApps(context)
        guard HostName.isValid(name.lowercased()) else {
            throw Refusal.invalidField("domain", "must be a bare host, such as session.example.com")
        }
        let app = try await apps.addDomain(name, to: context.appID, field: "domain")
        return try .json(DomainBody(CustomDomain(name.lowercased(), of: app.id)), status: .created)
    }

    /// The path has the id of the domain, or its name.
    @Sendable func remove(_ request: Request, context: OperatorContext) async throws -> Response {
        try requireAllApps(context)
        let named = context.parameters.get("domain_id") ?? ""
        let domains = try await apps.app(context.appID).customDomains
        guard let domain = domains.first(where: { $0.id == named || $0.name == named.lowercased() }) else {
            throw Refusal.notFound("the app has no such domain")
        }
        _ = try await apps.removeDomain(domain.name, from: context.appID)
        return .noContent
    }

    /// Domains select the app of a request, so a key of one app must not take the name of another one.
    private func requireAllApps(_ context: OperatorContext) throws(Refusal) {
        guard context.managementKey.appID == nil else {
            throw .forbidden("domains can be set only with a management key that is valid for all apps")
        }
    }
}
