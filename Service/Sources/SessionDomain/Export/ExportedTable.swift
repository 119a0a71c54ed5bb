internal import Foundation
package import SessionTokens

/// The values of a row by the names of its columns.
package typealias ExportedRow = [String: JSONValue]

/// A table of an export, with the names that PostgreSQL has for it. Its columns are those that the database has.
package struct ExportedTable: Sendable, Equatable {
    /// The column with the place among the rows of a table, from 1. Each store counts in its own way, so an export keeps only
    /// the order.
    package static let place = "sequence"

    package let name: String
    /// Columns that are unique together. Rows are exported and compared in their order.
    package let order: [String]

    private init(_ name: String, by order: String) {
        self.name = name
        self.order = order.split(separator: " ").map(String.init)
    }

    package var hasPlace: Bool { order.first == Self.place }

    /// A row as it is written: a JSON object with sorted members, and a newline. Equal rows have equal bytes in both stores.
    package func line(of row: ExportedRow) -> [UInt8] {
        var members = row
        members["table"] = .string(name)
        return TokenJSON.write(members) + [UInt8(ascii: "\n")]
    }

    /// Everything that a store keeps. A row comes after the rows to which it belongs.
    package static let all = [
        ExportedTable("apps", by: "id"),
        ExportedTable("signing_keys", by: "sequence app_id purpose key_id"),
        ExportedTable("management_keys", by: "id"),
        ExportedTable("users", by: "app_id id"),
        ExportedTable("external_ids", by: "app_id external_id"),
        ExportedTable("identifiers", by: "app_id type canonical"),
        ExportedTable("sessions", by: "app_id id"),
        ExportedTable("proofs", by: "app_id key"),
        ExportedTable("redemptions", by: "app_id id"),
        ExportedTable("deleted_redemptions", by: "app_id kind expiry_hour"),
        ExportedTable("verifications", by: "app_id token_hash"),
        ExportedTable("counters", by: "app_id key"),
        ExportedTable("challenges", by: "app_id id"),
        ExportedTable("grants", by: "app_id id"),
        ExportedTable("events", by: "sequence app_id id"),
        ExportedTable("webhooks", by: "app_id id"),
        ExportedTable("webhook_deliveries", by: "sequence app_id webhook_id event_id"),
        ExportedTable("messages", by: "app_id id"),
    ]
}

/// What a column of an export has, or null.
package enum ExportedKind: Sendable, Equatable {
    case text
    /// A whole number of 64 bits. A boolean is 0 or 1, because SQLite has no other.
    case integer
    /// A text in base64url.
    case bytes

    /// What is wrong with a value: the end of a sentence that begins with the name of the column. `nil`: nothing.
    func problem(of value: JSONValue) -> String? {
        switch (self, value) {
        case (_, .null), (.text, .string), (.integer, .int): nil
        case (.bytes, .string(let text)) where Base64URL.decode(text) != nil: nil
        case (.text, _): "must be a text, or null"
        case (.integer, _): "must be a whole number of 64 bits, or null"
        case (.bytes, _): "must be a text in base64url, or null"
        }
    }
}
