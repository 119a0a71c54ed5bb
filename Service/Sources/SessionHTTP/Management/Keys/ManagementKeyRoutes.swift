import Hummingbird
import SessionDomain

/// The management keys of one app in the management API.
struct ManagementKeyRoutes: Sendable {
    let keys: ManagementKeys

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(ManagementKeyListBody(keys: try await keys.all(of: context.appID).map { ManagementKeyBody($0) }))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(CreateManagementKeyBody.self)
        let (key, secret) = try await keys.create(
            name: body.name, app: context.appID, role: try body.checkedRole(), expiresAt: try body.expiry(),
            by: context.managementKey)
        return try .json(ManagementKeyBody(key, secret: secret), status: .created)
    }

    /// Replaces a key by one with another secret. The old secret is invalid at once.
    @Sendable func rotate(_ request: Request, context: OperatorContext) async throws -> Response {
        let (key, secret) = try await keys.rotate(
            id: Self.id(context), of: context.appID, by: context.managementKey)
        return try .json(ManagementKeyBody(key, secret: secret), status: .created)
    }

    @Sendable func revoke(_ request: Request, context: OperatorContext) async throws -> Response {
        try await keys.revoke(id: Self.id(context), of: context.appID)
        return .noContent
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("key_id") ?? "" }
}
