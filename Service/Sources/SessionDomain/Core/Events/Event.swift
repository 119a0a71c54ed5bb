package import SessionTokens

/// An event for audit and webhooks. It is stored in the same transaction as the change that it reports.
package struct Event: Sendable, Equatable {
    package struct Name: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// `evt_` and a ULID.
    package let id: String
    package let appID: AppID
    package let name: Name
    package let createdAt: Timestamp
    package let data: [String: JSONValue]
    /// Who caused it, and from where. The management API and commands show it; webhooks do not receive it.
    package let context: EventContext
    /// What observers learn when the event is committed. It is not stored.
    package let occurrence: Occurrence?

    package init(
        id: String, appID: AppID, name: Name, createdAt: Timestamp, data: [String: JSONValue],
        context: EventContext = EventContext(), occurrence: Occurrence? = nil
    ) {
        self.id = id
        self.appID = appID
        self.name = name
        self.createdAt = createdAt
        self.data = data
        self.context = context
        self.occurrence = occurrence
    }

    /// Whether both are stored alike.
    package static func == (left: Event, right: Event) -> Bool {
        left.id == right.id && left.appID == right.appID && left.name == right.name && left.createdAt == right.createdAt
            && left.data == right.data && left.context == right.context
    }

    /// The user that the event is about, for the filter by user.
    package var userID: String? { data["user_id"]?.stringValue }
}

/// Creates the events of one request. Intents carry it into the store's transaction.
package struct EventFactory: Sendable {
    package let appID: AppID
    private let environment: ServiceEnvironment
    private let context: EventContext

    /// - Parameter context: Who causes the events. The default is the context of the current task.
    package init(appID: AppID, environment: ServiceEnvironment, context: EventContext = .current) {
        self.appID = appID
        self.environment = environment
        self.context = context
    }

    /// Returns a factory for the events of another app.
    func of(_ app: AppID) -> EventFactory { EventFactory(appID: app, environment: environment, context: context) }

    /// - Parameter occurrence: What observers learn when the event is committed.
    package func make(
        _ name: Event.Name, _ data: [String: JSONValue], reporting occurrence: Occurrence? = nil
    ) -> Event {
        Event(
            id: environment.newID("evt"), appID: appID, name: name, createdAt: environment.now(), data: data,
            context: context, occurrence: occurrence)
    }

    package func userCreated(_ user: User) -> Event {
        make(.userCreated, ["user_id": .string(user.id)])
    }

    package func stepUpGranted(_ grant: Grant) -> Event {
        make(
            .stepUpGranted,
            [
                "user_id": .string(grant.userID), "session_id": .string(grant.sessionID),
                "scope": .string(grant.scope), "grant_mode": .string(grant.mode.rawValue),
            ])
    }

    package func identifierCreated(_ identifier: CanonicalIdentifier, of userID: String) -> Event {
        make(.identifierCreated, identifier.eventData(of: userID))
    }

    package func identifierDeleted(_ identifier: CanonicalIdentifier, of userID: String) -> Event {
        make(.identifierDeleted, identifier.eventData(of: userID))
    }

    package func refreshTokenReused(_ session: Session, reason: RefreshTokenReuse) -> Event {
        make(
            .refreshTokenReused,
            [
                "user_id": .string(session.userID), "session_id": .string(session.id),
                "reason": .string(reason.rawValue),
            ],
            reporting: .reuse(reason))
    }

    /// - Parameter rotations: How many rotations the stored session is behind the device.
    package func sessionRecovered(_ session: Session, missing rotations: Int64) -> Event {
        make(
            .sessionRecovered,
            [
                "user_id": .string(session.userID), "session_id": .string(session.id),
                "missing_rotations": .int(rotations),
            ])
    }

    package func sessionRevoked(_ session: Session, reason: RevocationReason) -> Event {
        make(
            .sessionRevoked,
            ["user_id": .string(session.userID), "session_id": .string(session.id), "reason": .string(reason.rawValue)])
    }
}

extension CanonicalIdentifier {
    fileprivate func eventData(of userID: String) -> [String: JSONValue] {
        [
            "user_id": .string(userID),
            "identifier": .object(["type": .string(type.rawValue), "value": .string(value)]),
        ]
    }
}

/// Appends events that belong to no other write, such as a failed hook.
package struct AppendEvents: Intent {
    package let events: [Event]

    package init(_ events: [Event]) { self.events = events }

    package var reads: Read<Void> { Read(app: events.first?.appID) }

    package func decide(_: Void) -> Decision<Void> { Decision((), events.map { .append($0) }) }
}

/// Who caused an event, and from where. Members that are not known are `nil`.
package struct EventContext: Sendable, Equatable {
    /// Who caused an event.
    package struct Actor: Sendable, Equatable, Codable {
        package enum Kind: String, Sendable, Codable {
            /// The service itself: schedules, housekeeping, the start of the process.
            case service
            /// A client of the frontend API.
            case client
            /// A stored key of the management API.
            case managementKey = "management_key"
            /// A key of the management API that the configuration of the service contains.
            case configuration
            /// An operator with an account of the console.
            case `operator`
            /// A command on the database.
            case commandLine = "command_line"
        }

        package let type: Kind
        /// The id of a stored management key, never its value, or of an operator.
        package let id: String?
        package let name: String?

        package init(_ type: Kind, id: String? = nil, name: String? = nil) {
            self.type = type
            self.id = id
            self.name = name
        }
    }

    package var actor: Actor?
    /// The client's address, as trusted proxies report it.
    package var ip: String?
    /// At most 256 characters.
    package let userAgent: String?
    package var device: Device?
    package var requestID: String?

    package init(
        actor: Actor? = nil, ip: String? = nil, userAgent: String? = nil, device: Device? = nil,
        requestID: String? = nil
    ) {
        self.actor = actor
        self.ip = ip
        self.userAgent = userAgent.map { String($0.prefix(256)) }
        self.device = device
        self.requestID = requestID
    }

    /// The context of the events that this task creates.
    ///
    /// It is task-local, because each event needs it and no rule reads it. `EventFactory` reads it once, before an intent
    /// runs. So decisions stay pure.
    @TaskLocal package static var current = EventContext(actor: Actor(.service))

    /// What a context of a client keeps when its user is deleted, as it is stored. All of these contexts begin with it, without
    /// its last character: members are written in the order of their names.
    package static let forgottenClient = #"{"actor":{"type":"client"}}"#

    /// Returns the same context with another actor.
    package func acting(as actor: Actor) -> EventContext {
        var context = self
        context.actor = actor
        return context
    }
}

extension EventContext: Codable, JSONWritable {
    private enum CodingKeys: String, CodingKey {
        case actor, ip, device
        case userAgent = "user_agent"
        case requestID = "request_id"
    }

    private enum DeviceKeys: String, CodingKey {
        case id, model, type
        case osVersion = "os_version"
        case countryCode = "country_code"
    }

    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            actor: try stored.decodeIfPresent(Actor.self, forKey: .actor),
            ip: try stored.decodeIfPresent(String.self, forKey: .ip),
            userAgent: try stored.decodeIfPresent(String.self, forKey: .userAgent),
            requestID: try stored.decodeIfPresent(String.self, forKey: .requestID))
        guard stored.contains(.device) else { return }
        let device = try stored.nestedContainer(keyedBy: DeviceKeys.self, forKey: .device)
        self.device = Device(
            id: try device.decodeIfPresent(String.self, forKey: .id),
            model: try device.decode(String.self, forKey: .model), type: try device.decode(String.self, forKey: .type),
            osVersion: try device.decode(String.self, forKey: .osVersion),
            countryCode: try device.decode(String.self, forKey: .countryCode))
    }

    package func encode(to encoder: any Encoder) throws {
        var stored = encoder.container(keyedBy: CodingKeys.self)
        try stored.encodeIfPresent(actor, forKey: .actor)
        try stored.encodeIfPresent(ip, forKey: .ip)
        try stored.encodeIfPresent(userAgent, forKey: .userAgent)
        try stored.encodeIfPresent(requestID, forKey: .requestID)
        guard let device else { return }
        var members = stored.nestedContainer(keyedBy: DeviceKeys.self, forKey: .device)
        try members.encodeIfPresent(device.id, forKey: .id)
        try members.encode(device.model, forKey: .model)
        try members.encode(device.type, forKey: .type)
        try members.encode(device.osVersion, forKey: .osVersion)
        try members.encode(device.countryCode, forKey: .countryCode)
    }

    package func write(into json: inout JSONWriter) {
        if let actor {
            json.member(
                "actor",
                object: {
                    $0.member("id", actor.id)
                    $0.member("name", actor.name)
                    $0.member("type", actor.type.rawValue)
                })
        }
        if let device {
            json.member(
                "device",
                object: {
                    $0.member("country_code", device.countryCode)
                    $0.member("id", device.id)
                    $0.member("model", device.model)
                    $0.member("os_version", device.osVersion)
                    $0.member("type", device.type)
                })
        }
        json.member("ip", ip)
        json.member("request_id", requestID)
        json.member("user_agent", userAgent)
    }
}

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
