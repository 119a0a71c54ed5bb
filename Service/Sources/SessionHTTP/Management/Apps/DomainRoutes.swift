import Hummingbird
import SessionDomain

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
        guard AppSettingsChange.isHost(name.lowercased()) else {
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
