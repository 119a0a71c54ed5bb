import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens

/// A group of settings in the management API.
struct SettingsRoutes<Group: SettingsGroup>: Sendable {
    let settings: SettingsManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(try await settings.group(Group.self, of: context.appID).body)
    }

    /// Creates a group that the app does not have.
    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(try await change(.new, request, context).body, status: .created)
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(try await change(.stored, request, context).body)
    }

    /// Replaces a group, or creates it.
    @Sendable func set(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(try await change(.any, request, context).body)
    }

    private func change(
        _ existence: SettingsExistence, _ request: Request, _ context: OperatorContext
    ) async throws -> Group {
        let body = try await request.decodeExactly(SettingsBody<Group>.self)
        return try await settings.update(Group.self, of: context.appID, existence) { group in
            group = body.settings(replacing: group)
        }.group
    }
}

extension SettingsRecord {
    /// The settings as the management API shows them.
    var body: [String: JSONValue] {
        var members = Self.schema.json(self)
        if let dated = self as? any DatedSettings {
            members["created_at"] = .string(dated.createdAt.rfc3339)
            members["updated_at"] = .string(dated.updatedAt.rfc3339)
        }
        return members
    }
}

/// The body of every configuration: `{"config": …}`.
private struct ConfigEnvelope<Config: Encodable>: Encodable {
    let config: Config
}

extension Response {
    static func config(_ config: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        try .json(ConfigEnvelope(config: config), status: status)
    }
}
