import SessionDomain

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

struct WebhookListBody: Encodable { let webhooks: [WebhookBody] }

struct WebhookChangeBody: Decodable {
    let url: String
    /// Absent or empty for the standard events.
    let events: [String]?
}
