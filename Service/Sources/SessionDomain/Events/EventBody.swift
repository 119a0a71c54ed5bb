internal import SessionTokens

/// An event in JSON, as webhooks receive it: without its context, so that addresses of users stay in the service.
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

/// An event in JSON with its context, as the management API and `prelude-session events` list it.
package struct AuditedEventBody: Encodable, Sendable {
    private let event: EventBody
    private let appID: String?
    private let context: EventContext

    private enum CodingKeys: String, CodingKey {
        case context
        case appID = "app_id"
    }

    /// - Parameter withAppID: Whether the list contains events of several apps.
    package init(_ event: Event, withAppID: Bool = false) {
        self.event = EventBody(event)
        appID = withAppID && event.appID != .service ? event.appID.rawValue : nil
        context = event.context
    }

    package func encode(to encoder: any Encoder) throws {
        try event.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(appID, forKey: .appID)
        try container.encode(context, forKey: .context)
    }
}
