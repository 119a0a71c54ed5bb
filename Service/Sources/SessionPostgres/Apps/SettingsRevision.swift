internal import SessionDomain

/// The number that grows with each change of apps or their keys. It tells nodes that what they have cached is outdated.
struct SettingsRevision: Sendable {
    /// The channel of the notifications. Those of other services on the same database are received, too, and harmless.
    static let channel = "prelude_session_settings"

    static let current = Statement("SELECT revision FROM settings_revision WHERE id = 1")

    /// Increases the revision, and notifies other nodes when the transaction commits.
    let increase: Statement

    /// - Parameter notifies: Whether the server has notifications. Without them, nodes only read the revision.
    init(notifies: Bool) {
        let update = "UPDATE settings_revision SET revision = revision + 1 WHERE id = 1"
        increase = Statement(
            notifies
                ? "WITH increased AS (\(update) RETURNING 1) SELECT pg_notify('\(Self.channel)', '') FROM increased"
                : update)
    }

    /// Finds out whether the server has notifications. Some engines that speak the protocol of PostgreSQL do not.
    init(_ connection: PostgresConnection) throws {
        let functions = try connection.run([Statement("SELECT count(*) FROM pg_proc WHERE proname = 'pg_notify'")])
        let count: Int = try functions[0].first { try $0.next() } ?? 0
        self.init(notifies: count > 0)
    }
}

extension Change {
    /// Whether nodes have cached what it changes (`AppDirectory`).
    var changesSettings: Bool {
        switch self {
        case .insertApp, .replaceApp, .insertSigningKey, .replaceSigningKey, .deleteSigningKey: true
        default: false
        }
    }
}
