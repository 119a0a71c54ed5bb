package import SessionTokens

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
