internal import Foundation
internal import SessionDomain
internal import SessionSQLite

/// A folder with an embedded database in which every column of every table has values.
final class FilledStore {
    /// Characters that the form of a copy, JSON or SQL could treat in a special way.
    private static let text = "\u{8}\u{C}\n\r\t\u{B}\\N \\. 'é\u{1F600}"

    let path: String

    init(rows: Int = 3) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID().uuidString).sqlite").path
        let target = try SQLiteCopyTarget(path)
        var place = try target.begin(from: nil)
        for table in CopiedTable.all {
            var lines = CopyLines()
            for number in 1...rows { Self.append(number, of: table, to: &lines) }
            try target.append(lines, to: table, from: place)
            place = CopyPlace(table: table.name, rows: rows)
        }
        try target.finish()
        target.close()
    }

    deinit {
        for suffix in ["", ".lock", "-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private static func append(_ number: Int, of table: CopiedTable, to lines: inout CopyLines) {
        for column in table.columns {
            // The last row has NULL where it may.
            if number > 2, optional.contains("\(table.name).\(column.name)") {
                lines.appendNull()
                continue
            }
            switch column.kind {
            case .place: lines.append(integer: Int64(number))
            case .integer: lines.append(integer: number == 1 ? 1 : .max - Int64(number))
            case .boolean: lines.append(boolean: number == 1)
            case .bytes: lines.append(data: [0, UInt8(number), 255])
            case .text: lines.append(text: value(of: column.name, in: table.name, number).utf8)
            }
        }
        lines.endRow()
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
