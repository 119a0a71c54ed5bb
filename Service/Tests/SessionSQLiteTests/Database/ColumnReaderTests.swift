internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Columns of a row")
struct ColumnReaderTests {
    private static let unreadable = StoreError.unavailable("a stored row cannot be read")

    private let database: DatabaseQueue

    init() throws { database = try DatabaseQueue() }

    private func first<Value>(_ sql: String, as read: (inout ColumnReader) throws -> Value) throws -> Value? {
        try database.read { db in try db.first("SELECT \(sql)", as: read) }
    }

    @Test("Columns are read from left to right, also if the first one is NULL")
    func order() throws {
        let row = try first("NULL, 1, 'two', x'0003', 1, NULL, 'active', 7") { columns in
            let empty: String? = try columns.next()
            let number: Int = try columns.next()
            let text: String = try columns.next()
            let bytes: Data = try columns.next()
            let truth: Bool? = try columns.next()
            let status: User.Status? = try columns.next()
            let other: User.Status = try columns.next()
            let time: Timestamp? = try columns.next()
            return "\(empty as Any) \(number) \(text) \([UInt8](bytes)) \(truth as Any) \(status as Any) \(other) "
                + "\(time?.milliseconds as Any)"
        }
        #expect(row == "nil 1 two [0, 3] Optional(true) nil active Optional(7)")
    }

    @Test("NULL and values of another type are errors, not defaults")
    func unreadable() {
        #expect(throws: Self.unreadable) { try first("NULL") { columns in try columns.next() as String } }
        #expect(throws: Self.unreadable) { try first("NULL") { columns in try columns.next() as User.Status } }
        #expect(throws: Self.unreadable) { try first("'unknown'") { columns in try columns.next() as User.Status } }
        #expect(throws: Self.unreadable) { try first("'unknown'") { columns in try columns.next() as User.Status? } }
        #expect(throws: Self.unreadable) { try first("'not an id'") { columns in try columns.next() as AppID } }
        #expect(throws: Self.unreadable) { try first("'1'") { columns in try columns.next() as Int? } }
        #expect(throws: Self.unreadable) { try first("1.5") { columns in try columns.next() as Int? } }
        #expect(throws: Self.unreadable) { try first("1") { columns in try columns.next() as String? } }
        #expect(throws: Self.unreadable) { try first("'x'") { columns in try columns.next() as Data? } }
    }

    @Test("All rows are read, and a query without a row has none")
    func rows() throws {
        let rows = try database.read { db in
            try db.all("SELECT column1 FROM (VALUES (1), (NULL), (3))") { columns in try columns.next() as Int? }
        }
        #expect(rows == [1, nil, 3])
        #expect(try first("1 WHERE 0") { columns in try columns.next() as Int } == nil)
    }
}
