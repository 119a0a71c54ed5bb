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
