internal import Foundation
internal import SessionDomain
internal import SessionSQLite
internal import SessionTokens

/// A folder with an embedded database in which every column of every table has values.
final class FilledStore {
    /// Characters that the text format of a server, JSON or SQL could treat in a special way.
    private static let text = "\u{8}\u{C}\n\r\t\u{B}\\N \\. 'é\u{1F600}"

    let path: String

    init(rows: Int = 3) throws {
        let file = try EmptyTarget()
        path = file.path
        var place = EmptyTarget.start
        for table in ExportedTable.all {
            let columns = try file.target.columns(of: table)
            let next = ImportPlace(lines: place.lines + rows, sha256: table.name)
            let values = (1...rows).map { Self.row($0, of: table, columns) }
            try file.target.append(values, to: table, from: place, to: next)
            place = next
        }
        try file.target.finish()
        file.target.close()
    }

    deinit {
        for suffix in ["", ".lock", "-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private static func row(_ number: Int, of table: ExportedTable, _ columns: [String: ExportedKind]) -> ExportedRow {
        var row: ExportedRow = [:]
        for (column, kind) in columns {
            // The last row has NULL where it may.
            if number > 2, optional.contains("\(table.name).\(column)") {
                row[column] = .null
                continue
            }
            row[column] =
                switch kind {
                case _ where column == ExportedTable.place: .int(Int64(number))
                case _
                where ["demands_nonce", "is_suppressed", "has_code", "is_backup_eligible", "is_backed_up"].contains(
                    column):
                    .int(number == 1 ? 1 : 0)
                case .integer: .int(number == 1 ? 1 : .max - Int64(number))
                case .bytes: .string(Base64URL.encode([0, UInt8(number), 255]))
                case .text: .string(value(of: column, in: table.name, number))
                }
        }
        return row
    }

    private static func value(of column: String, in table: String, _ number: Int) -> String {
        switch (table, column) {
        case ("apps", "id"), (_, "app_id"): "app\(String(repeating: "0", count: 3))\(number)"
        case (_, "id"), (_, "user_id"), (_, "session_id"), (_, "webhook_id"), (_, "event_id"): "id \(number) é"
        case (_, "external_id"): "external \(number)"
        case ("signing_keys", "purpose"): ["access", "challenge", "hook"][number % 3]
        case (_, "role"): "read"
        case ("users", "status"): ["active", "inactive", "suspended"][number % 3]
        case ("webhooks", "status"): "inactive"
        case ("webhook_deliveries", "status"), ("messages", "status"): number == 1 ? "pending" : "failed"
        case ("identifiers", "type"), ("messages", "type"): number == 1 ? "phone_number" : "email_address"
        case ("grants", "mode"): "single-use"
        case ("events", "data"), ("events", "context"): #"{"number":"\n \#(number)"}"#
        // `has_code` is derived from it.
        case ("messages", "content"): number == 1 ? #"{"code":{"seed":"\n"}}"# : #"{"values":{}}"#
        default: "\(column) \(number) \(text)"
        }
    }

    private static let optional: Set<String> = [
        "signing_keys.retires_at", "signing_keys.remove_after", "management_keys.app_id", "management_keys.created_by",
        "management_keys.expires_at", "management_keys.last_used_at", "users.password_hash", "identifiers.held_until",
        "sessions.key_thumbprint", "sessions.last_proof", "sessions.last_attempt", "sessions.device_id",
        "sessions.revoked_at", "verifications.code_challenge", "verifications.code_seed",
        "verifications.previous_code_hash", "verifications.previous_code_expires_at", "challenges.new_identifier",
        "challenges.completed_at", "challenges.redeemed_at", "events.user_id", "webhook_deliveries.last_status",
        "webhook_deliveries.last_error", "webhook_deliveries.delivered_at", "messages.last_failure",
    ]
}

/// A new embedded database that an import fills.
final class EmptyTarget {
    static let start = ImportPlace(lines: 1, sha256: "start")

    let path: String
    let target: SQLiteImportTarget

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString).sqlite").path
        target = try SQLiteImportTarget(path)
        _ = try target.begin(at: Self.start)
    }

    deinit {
        target.close()
        for suffix in ["", ".lock"] {
            try? FileManager.default.removeItem(atPath: path + SQLiteImportTarget.suffix + suffix)
        }
    }
}
