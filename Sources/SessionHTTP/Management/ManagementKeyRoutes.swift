import HTTPTypes
import Hummingbird
import SessionDomain

/// The management keys of one app, through the management API. A key's value is shown once, when it is made.
struct ManagementKeyRoutes: Sendable {
    let keys: ManagementKeys

    struct Change: Decodable { let name: String }

    private struct Body: Encodable {
        let id: String
        let name: String
        let createdAt: String
        var key: String?

        private enum CodingKeys: String, CodingKey {
            case id, name, key
            case createdAt = "created_at"
        }

        init(_ stored: ManagementKey, secret: String? = nil) {
            id = stored.id
            name = stored.name
            createdAt = stored.createdAt.rfc3339
            key = secret
        }
    }

    private struct KeyList: Encodable { let keys: [Body] }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(KeyList(keys: try await keys.all(of: context.appID).map { Body($0) }))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self)
        let (key, secret) = try await keys.create(name: change.name, app: context.appID)
        return try .json(Body(key, secret: secret), status: .created)
    }

    /// A new key of the same name; the old one is dead once the answer is there.
    @Sendable func rotate(_ request: Request, context: OperatorContext) async throws -> Response {
        let (key, secret) = try await keys.rotate(id: Self.id(context), of: context.appID)
        return try .json(Body(key, secret: secret), status: .created)
    }

    @Sendable func revoke(_ request: Request, context: OperatorContext) async throws -> Response {
        try await keys.revoke(id: Self.id(context), of: context.appID)
        return .noContent
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("key_id") ?? "" }
}
