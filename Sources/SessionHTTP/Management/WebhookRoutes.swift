import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// Webhooks and what was delivered to them, through the management API.
struct WebhookRoutes: Sendable {
    let webhooks: WebhookManagement

    struct Change: Decodable {
        let url: String
        let events: [String]?
    }

    private struct Body: Encodable {
        let id: String
        let url: String
        let events: [String]
        let status: String
        let verificationToken: String
        let createdAt: String
        let updatedAt: String

        private enum CodingKeys: String, CodingKey {
            case id, url, events, status
            case verificationToken = "verification_token"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }

        init(_ webhook: Webhook) {
            id = webhook.id
            url = webhook.url
            events = webhook.events
            status = webhook.status.rawValue
            verificationToken = webhook.verificationToken
            createdAt = webhook.createdAt.rfc3339
            updatedAt = webhook.updatedAt.rfc3339
        }
    }

    private struct WebhookList: Encodable { let webhooks: [Body] }

    private struct Delivery: Encodable {
        let event: EventBody
        let status: String
        let attempts: Int
        let nextAttemptAt: String?
        let lastStatus: Int?
        let lastError: String?
        let deliveredAt: String?

        private enum CodingKeys: String, CodingKey {
            case event, status, attempts
            case nextAttemptAt = "next_attempt_at"
            case lastStatus = "last_status"
            case lastError = "last_error"
            case deliveredAt = "delivered_at"
        }

        init(_ delivery: WebhookDelivery) {
            event = EventBody(delivery.event)
            status = delivery.status.rawValue
            attempts = delivery.attempts
            nextAttemptAt = delivery.status == .pending ? delivery.nextAttemptAt.rfc3339 : nil
            lastStatus = delivery.lastStatus
            lastError = delivery.lastError
            deliveredAt = delivery.deliveredAt?.rfc3339
        }
    }

    private struct DeliveryList: Encodable { let deliveries: [Delivery] }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(WebhookList(webhooks: try await webhooks.webhooks(app: context.appID).map(Body.init)))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self)
        let webhook = try await webhooks.create(url: change.url, events: change.events, app: context.appID)
        return try .json(Body(webhook), status: .created)
    }

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(Body(try await webhooks.webhook(Self.id(context), app: context.appID)))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let change = try await request.decode(Change.self)
        return try .json(
            Body(
                try await webhooks.replace(
                    Self.id(context), url: change.url, events: change.events, app: context.appID)))
    }

    @Sendable func delete(_ request: Request, context: OperatorContext) async throws -> Response {
        try await webhooks.delete(Self.id(context), app: context.appID)
        return .noContent
    }

    @Sendable func activate(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(Body(try await webhooks.activate(Self.id(context), app: context.appID)))
    }

    @Sendable func deliveries(_ request: Request, context: OperatorContext) async throws -> Response {
        let page = try Page(request)
        let deliveries = try await webhooks.deliveries(
            of: Self.id(context), app: context.appID, limit: page.limit, offset: page.offset)
        return try .json(DeliveryList(deliveries: deliveries.map(Delivery.init)))
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("webhook_id") ?? "" }
}
