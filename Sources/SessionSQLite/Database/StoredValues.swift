internal import Foundation
internal import GRDB
internal import SessionDomain
internal import SessionTokens

// How domain values are stored in columns.

extension Timestamp: DatabaseValueConvertible, StatementColumnConvertible {
    var databaseValue: DatabaseValue { milliseconds.databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Timestamp? {
        Int64.fromDatabaseValue(value).map(Timestamp.init(milliseconds:))
    }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(milliseconds: Int64(sqliteStatement: sqliteStatement, index: index))
    }
}

extension AppID: DatabaseValueConvertible, StatementColumnConvertible {
    var databaseValue: DatabaseValue { rawValue.databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> AppID? {
        String.fromDatabaseValue(value).flatMap(stored)
    }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let id = Self.stored(String(sqliteStatement: sqliteStatement, index: index)) else { return nil }
        self = id
    }

    private static func stored(_ text: String) -> AppID? { text == service.rawValue ? .service : AppID(text) }
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

    static func value<Value: Decodable>(_ text: String) throws -> Value {
        do {
            // This is not the strict reader for requests: what was written must be readable, however deep it is nested.
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw StoreError.unavailable("stored \(Value.self) is not the JSON it was written as")
        }
    }
}
