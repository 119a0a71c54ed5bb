internal import SessionTokens

/// An event in JSON, as the management API lists it and as webhooks receive it.
package struct EventBody: Encodable, Sendable {
    let id: String
    let name: String
    let createdAt: String
    let data: [String: JSONValue]

    private enum CodingKeys: String, CodingKey {
        case id, name, data
        case createdAt = "created_at"
    }

    package init(_ event: Event) {
        id = event.id
        name = event.name.rawValue
        createdAt = event.createdAt.rfc3339
        data = event.data
    }
}
