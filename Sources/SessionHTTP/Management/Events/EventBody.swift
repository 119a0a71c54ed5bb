import SessionDomain
import SessionTokens

/// An event as the management API shows it.
struct EventBody: Encodable {
    let id: String
    let name: String
    let createdAt: String
    let data: [String: JSONValue]

    private enum CodingKeys: String, CodingKey {
        case id, name, data
        case createdAt = "created_at"
    }

    init(_ event: Event) {
        id = event.id
        name = event.name.rawValue
        createdAt = event.createdAt.rfc3339
        data = event.data
    }
}

struct EventListBody: Encodable { let events: [EventBody] }
