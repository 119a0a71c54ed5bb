import Hummingbird
import SessionDomain

/// Webhooks and their deliveries in the management API.
struct WebhookRoutes: Sendable {
    let webhooks: WebhookManagement

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let all = try await webhooks.webhooks(app: context.appID)
        return try .json(WebhookListBody(webhooks: all.map { WebhookBody($0, for: context.managementKey) }))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(WebhookChangeBody.self)
        let webhook = try await webhooks.create(url: body.url, events: body.events, app: context.appID)
        return try .json(WebhookBody(webhook, for: context.managementKey), status: .created)
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        let webhook = try await webhooks.webhook(Self.id(context), app: context.appID)
        return try .json(WebhookBody(webhook, for: context.managementKey))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(WebhookChangeBody.self)
        let webhook = try await webhooks.replace(
            Self.id(context), url: body.url, events: body.events, app: context.appID)
        return try .json(WebhookBody(webhook, for: context.managementKey))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await webhooks.delete(Self.id(context), app: context.appID)
        return .noContent
    }

    @Sendable func activate(_ request: Request, context: OperatorContext) async throws -> Response {
        let webhook = try await webhooks.activate(Self.id(context), app: context.appID)
        return try .json(WebhookBody(webhook, for: context.managementKey))
    }

    @Sendable func deliveries(_ request: Request, context: OperatorContext) async throws -> Response {
        let page = try Page(request)
        let (deliveries, next) = try await webhooks.deliveries(
            of: Self.id(context), app: context.appID, limit: page.limit, offset: page.offset,
            cursor: try ListRequest.cursor(try request.query))
        return try .json(
            WebhookDeliveryListBody(
                deliveries: deliveries.map(WebhookDeliveryBody.init), limit: page.limit, next: next))
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("webhook_id") ?? "" }
}
