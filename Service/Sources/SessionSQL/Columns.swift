package import Foundation
package import SessionDomain
internal import SessionTokens

/// A value as a database stores it.
package enum StoredValue: Sendable {
    case integer(Int64)
    case boolean(Bool)
    case text(String)
    case bytes(Data)
}

/// A row of a database, which can be read as long as the row is there.
package protocol StoredRow {
    /// - Returns: `nil` for NULL.
    /// - Throws: `StoreError.unavailable` for a value of another type.
    func integer(_ column: Int) throws -> Int64?
    func boolean(_ column: Int) throws -> Bool?
    func text(_ column: Int) throws -> String?
    func bytes(_ column: Int) throws -> Data?
}

/// Reads the columns of a row from left to right, in the order of the statement.
package struct ColumnReader {
    private let row: any StoredRow
    private var column = 0

    package init(_ row: some StoredRow) { self.row = row }

    /// - Throws: `StoreError.unavailable` for a value of another type, and for NULL.
    package mutating func next<Value: ColumnValue>() throws -> Value {
        guard let value: Value = try next() else { throw StoreError.unreadableRow }
        return value
    }

    /// - Returns: `nil` for NULL.
    /// - Throws: `StoreError.unavailable` for a value of another type.
    package mutating func next<Value: ColumnValue>() throws -> Value? {
        defer { column += 1 }
        return try Value.read(row, column)
    }
}

extension StoreError {
    package static let unreadableRow = StoreError.unavailable("a stored row cannot be read")
}

/// A value of a column.
package protocol ColumnValue: Sendable {
    var stored: StoredValue { get }

    /// - Returns: `nil` for NULL.
    /// - Throws: `StoreError.unavailable` for a value that is none of this type.
    static func read(_ row: any StoredRow, _ column: Int) throws -> Self?
}

extension String: ColumnValue {
    package var stored: StoredValue { .text(self) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> String? { try row.text(column) }
}

extension Int64: ColumnValue {
    package var stored: StoredValue { .integer(self) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> Int64? { try row.integer(column) }
}

extension Int: ColumnValue {
    package var stored: StoredValue { .integer(Int64(self)) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> Int? {
        try row.integer(column).map { number in
            guard let value = Int(exactly: number) else { throw StoreError.unreadableRow }
            return value
        }
    }
}

extension Bool: ColumnValue {
    package var stored: StoredValue { .boolean(self) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> Bool? { try row.boolean(column) }
}

extension Data: ColumnValue {
    package var stored: StoredValue { .bytes(self) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> Data? { try row.bytes(column) }
}

extension Timestamp: ColumnValue {
    /// Milliseconds since 1970.
    package var stored: StoredValue { .integer(milliseconds) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> Timestamp? {
        try row.integer(column).map(Timestamp.init(milliseconds:))
    }

    /// Milliseconds.
    package static let hour: Int64 = 3_600_000

    /// The full hours since 1970.
    package var hour: Int64 { milliseconds / Self.hour }
}

extension AppID: ColumnValue {
    package var stored: StoredValue { .text(rawValue) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> AppID? {
        try row.text(column).map { text in
            guard let id = AppID(stored: text) else { throw StoreError.unreadableRow }
            return id
        }
    }
}

extension ColumnValue where Self: RawRepresentable, RawValue == String {
    package var stored: StoredValue { .text(rawValue) }

    package static func read(_ row: any StoredRow, _ column: Int) throws -> Self? {
        try row.text(column).map { text in
            guard let value = Self(rawValue: text) else { throw StoreError.unreadableRow }
            return value
        }
    }
}

extension IdentifierType: ColumnValue {}
extension User.Status: ColumnValue {}
extension StoredSigningKey.Purpose: ColumnValue {}
extension KeyAlgorithm: ColumnValue {}
extension ManagementKey.Role: ColumnValue {}
extension ManagementKey.Creator: ColumnValue {}
extension QueuedMessage.Status: ColumnValue {}
extension GrantMode: ColumnValue {}
extension LoginMethod: ColumnValue {}
extension WebhookDelivery.Status: ColumnValue {}
extension Webhook.Status: ColumnValue {}

/// A value that is stored as JSON text.
package enum StoredJSON {
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try TokenJSON.encode(value), as: UTF8.self)
    }

    /// The routes that rejected a message. Nearly all messages have none.
    static func text(_ routes: Set<Int>) throws -> String { routes.isEmpty ? "[]" : try text(routes.sorted()) }

    /// Members are written without an encoder, for rows that many calls write.
    static func text(_ members: [String: JSONValue]) -> String {
        String(decoding: TokenJSON.write(members), as: UTF8.self)
    }

    /// Rows that many calls write need no encoder.
    static func text(_ value: some JSONWritable) -> String { TokenJSON.text(value) }

    static func value<Value: Decodable & JSONObjectReadable>(_ text: String) throws -> Value {
        guard let value = try? TokenJSON.read(Value.self, from: Data(text.utf8)) else { throw unreadable(Value.self) }
        return value
    }

    static func value<Value: Decodable>(_ text: String) throws -> Value {
        do {
            // This is not the strict reader for requests: what was written must be readable, however deep it is nested.
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw unreadable(Value.self)
        }
    }

    private static func unreadable(_ type: Any.Type) -> StoreError {
        .unavailable("stored \(type) is not the JSON it was written as")
    }
}
