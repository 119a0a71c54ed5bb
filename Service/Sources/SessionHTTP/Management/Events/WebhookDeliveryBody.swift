import SessionDomain

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

struct WebhookDeliveryListBody: Encodable {
    let deliveries: [WebhookDeliveryBody]
    let limit: Int
    /// The `cursor` of the next page. Absent on the last one.
    let next: String?
}
