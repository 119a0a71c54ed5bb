import SessionDomain
import SessionTokens

/// An event as a row of a table.
enum EventRow {
    private static let columns: [(name: String, value: @Sendable (Event) throws -> String?)] = [
        ("id", { $0.id }), ("created_at", { $0.createdAt.rfc3339 }), ("name", { $0.name.rawValue }),
        ("user_id", { $0.userID }), ("actor_type", { $0.context.actor?.type.rawValue }),
        ("actor_id", { $0.context.actor?.id }), ("actor_name", { $0.context.actor?.name }),
        ("ip", { $0.context.ip }), ("user_agent", { $0.context.userAgent }),
        ("device_id", { $0.context.device?.id }), ("device_model", { $0.context.device?.model }),
        ("country_code", { $0.context.device?.countryCode }), ("request_id", { $0.context.requestID }),
        ("data", { String(decoding: TokenJSON.write($0.data), as: UTF8.self) }),
    ]

    /// The row with the names of the columns.
    static let head = CSV.row(columns.map(\.name))

    static func text(_ event: Event) throws -> String { CSV.row(try columns.map { try $0.value(event) ?? "" }) }
}
