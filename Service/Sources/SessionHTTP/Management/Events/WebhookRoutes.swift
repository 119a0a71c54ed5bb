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

/// A webhook as the management API shows it.
struct WebhookBody: Encodable {
    let id: String
    let url: String
    let events: [String]
    let status: String
    /// Only for a key that may write: it shows the receiver that a challenge is from this service.
    let verificationToken: String?
    let createdAt: String
    let updatedAt: String

    private enum CodingKeys: String, CodingKey {
        case id, url, events, status
        case verificationToken = "verification_token"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ webhook: Webhook, for key: ManagementKey) {
        id = webhook.id
        url = webhook.url
        events = webhook.events
        status = webhook.status.rawValue
        verificationToken = key.role == .write ? webhook.verificationToken : nil
        createdAt = webhook.createdAt.rfc3339
        updatedAt = webhook.updatedAt.rfc3339
    }
}

private struct WebhookListBody: Encodable { let webhooks: [WebhookBody] }

struct WebhookChangeBody: Decodable {
    let url: String
    /// Absent or empty for the standard events.
    let events: [String]?
}

/// The delivery of an event to a webhook as the management API shows it.
struct WebhookDeliveryBody: Encodable {
    let event: EventBody
    let status: String
    let attempts: Int
    /// Present while the delivery is pending.
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

private struct WebhookDeliveryListBody: Encodable {
    let deliveries: [WebhookDeliveryBody]
    let limit: Int
    /// The `cursor` of the next page. Absent on the last one.
    let next: String?
}
