import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// All that is stored about a user, in the management API.
struct UserExportRoute: Sendable {
    let exports: DataExports

    @Sendable func show(_ request: Request, context: OperatorContext) async throws -> Response {
        try .file(of: try await exports.user(try context.userID, app: context.appID))
    }
}

/// All that is stored about a user, in a file. Its events are written page by page when the file is read, so the list is empty
/// here.
struct UserExportBody: Encodable {
    let exportedAt: String
    let user: UserBody
    let heldIdentifiers: [HeldIdentifier]
    let passkeys: [PasskeyView]
    let sessions: [Session]
    let grants: [Grant]
    let limits: [Limit]
    let events: [AuditedEventBody]

    private enum CodingKeys: String, CodingKey {
        case user, passkeys, sessions, grants, limits, events
        case exportedAt = "exported_at"
        case heldIdentifiers = "held_identifiers"
    }

    /// An identifier that opens nothing but its own login until a time.
    struct HeldIdentifier: Encodable {
        let type: String
        let value: String
        let heldUntil: String

        private enum CodingKeys: String, CodingKey {
            case type, value
            case heldUntil = "held_until"
        }
    }

    struct Session: Encodable {
        let session: SessionView
        let deviceID: String?
        let scopes: [String]

        private enum CodingKeys: String, CodingKey {
            case scopes
            case deviceID = "device_id"
        }

        func encode(to encoder: any Encoder) throws {
            try session.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(deviceID, forKey: .deviceID)
            try container.encode(scopes, forKey: .scopes)
        }
    }

    /// A scope that a step-up has granted.
    struct Grant: Encodable {
        let id: String
        let scope: String
        let grantMode: String
        let sessionID: String
        let expiresAt: String

        private enum CodingKeys: String, CodingKey {
            case id, scope
            case grantMode = "grant_mode"
            case sessionID = "session_id"
            case expiresAt = "expires_at"
        }
    }

    /// A counter that limits attempts or messages.
    struct Limit: Encodable {
        /// What is counted, and whose it is.
        let counter: String
        let count: Int
        let resetsAt: String

        private enum CodingKeys: String, CodingKey {
            case counter, count
            case resetsAt = "resets_at"
        }
    }

    init(_ export: UserExport) {
        exportedAt = export.exportedAt.rfc3339
        user = UserBody(export.user)
        heldIdentifiers = export.user.heldUntil.map { identifier, time in
            HeldIdentifier(type: identifier.type.rawValue, value: identifier.value, heldUntil: time.rfc3339)
        }
        .sorted { $0.value < $1.value }
        passkeys = export.passkeys.map(PasskeyView.init)
        sessions = export.sessions.map {
            Session(session: SessionView($0), deviceID: $0.device.id, scopes: $0.scopes)
        }
        grants = export.grants.map {
            Grant(
                id: $0.id, scope: $0.scope, grantMode: $0.mode.rawValue, sessionID: $0.sessionID,
                expiresAt: $0.expiresAt.rfc3339)
        }
        limits = export.limits.map {
            Limit(counter: $0.key, count: $0.counter.count, resetsAt: $0.counter.resetsAt.rfc3339)
        }
        events = []
    }
}
