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
            /// A command on the database.
            case commandLine = "command_line"
        }

        package let type: Kind
        /// The id of a stored management key, never its value.
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

    /// Returns the same context with another actor.
    package func acting(as actor: Actor) -> EventContext {
        var context = self
        context.actor = actor
        return context
    }
}

extension EventContext: Codable {
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
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(actor, forKey: .actor)
        try container.encodeIfPresent(ip, forKey: .ip)
        try container.encodeIfPresent(userAgent, forKey: .userAgent)
        try container.encodeIfPresent(requestID, forKey: .requestID)
        guard let device else { return }
        var nested = container.nestedContainer(keyedBy: DeviceKeys.self, forKey: .device)
        try nested.encodeIfPresent(device.id, forKey: .id)
        try nested.encode(device.model, forKey: .model)
        try nested.encode(device.type, forKey: .type)
        try nested.encode(device.osVersion, forKey: .osVersion)
        try nested.encode(device.countryCode, forKey: .countryCode)
    }
}
