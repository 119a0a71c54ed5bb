internal import Foundation
internal import GRDB
internal import SessionDomain
internal import SessionTokens

// How domain values are stored in columns.

extension Timestamp: DatabaseValueConvertible, StatementColumnConvertible {
    var databaseValue: DatabaseValue { milliseconds.databaseValue }

    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt { milliseconds.bind(to: statement, at: index) }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Timestamp? {
        Int64.fromDatabaseValue(value).map(Timestamp.init(milliseconds:))
    }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(milliseconds: Int64(sqliteStatement: sqliteStatement, index: index))
    }
}

extension AppID: DatabaseValueConvertible, StatementColumnConvertible {
    var databaseValue: DatabaseValue { rawValue.databaseValue }

    func bind(to statement: SQLiteStatement, at index: CInt) -> CInt { rawValue.bind(to: statement, at: index) }

    static func fromDatabaseValue(_ value: DatabaseValue) -> AppID? {
        String.fromDatabaseValue(value).flatMap(stored)
    }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let id = Self.stored(String(sqliteStatement: sqliteStatement, index: index)) else { return nil }
        self = id
    }

    private static func stored(_ text: String) -> AppID? { AppID(stored: text) }
}

extension IdentifierType: DatabaseValueConvertible {}
extension User.Status: DatabaseValueConvertible {}
extension StoredSigningKey.Purpose: DatabaseValueConvertible {}
extension KeyAlgorithm: DatabaseValueConvertible {}

/// A value that is stored as JSON text.
enum StoredJSON {
    static func text(_ value: some Encodable) throws -> String {
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
        guard let value = try? TokenJSON.read(Value.self, from: Data(text.utf8)) else {
            throw StoreError.unavailable("stored \(Value.self) is not the JSON it was written as")
        }
        return value
    }

    static func value<Value: Decodable>(_ text: String) throws -> Value {
        do {
            // This is not the strict reader for requests: what was written must be readable, however deep it is nested.
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw StoreError.unavailable("stored \(Value.self) is not the JSON it was written as")
        }
    }
}
