internal import SessionDomain

/// Whether refreshes that arrive together share a transaction.
///
/// On one server, a shared commit is cheaper. An engine that spreads the rows of users over machines must then commit on
/// several of them, so its operators switch it off.
enum SharedTransactions {
    /// A parameter of the server, which a database, a role or a URL can set: `on` or `off`.
    static let setting = "prelude_session.shared_transactions"

    /// The setting of the database of a connection. `on` if there is none.
    static func areOn(_ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.run([Statement("SELECT coalesce(current_setting($1, TRUE), '')", [setting])])
        return try isOn(try rows.first?.first { try $0.next() } ?? "")
    }

    /// - Throws: `StoreError.unavailable` for a text that is neither.
    static func isOn(_ text: String) throws(StoreError) -> Bool {
        switch text {
        case "", "on": return true
        case "off": return false
        default: throw .unavailable("\(setting) must be on or off")
        }
    }
}
