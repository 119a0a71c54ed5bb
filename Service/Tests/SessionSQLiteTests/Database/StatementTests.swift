internal import Foundation
internal import GRDB
internal import SessionDomain
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("Statements and their values")
struct StatementTests {
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { db in try db.execute(sql: "CREATE TABLE things (id INTEGER PRIMARY KEY, value ANY UNIQUE)")
        }
    }

    @Test("Values arrive as they are: texts, bytes, numbers, times and NULL")
    func values() throws {
        try database.write { db in
            for value: (any ColumnValue)? in [
                "aé", "", Data([0, 255]), Int64.min, true, Timestamp(milliseconds: 7), AppID.service, nil,
            ] { try db.run("INSERT INTO things (value) VALUES (?)", [value]) }
        }
        let stored = try database.read { db in
            try String.fetchAll(
                db, sql: "SELECT typeof(value) || ' ' || hex(CAST(value AS BLOB)) FROM things ORDER BY id")
        }
        #expect(stored.prefix(3) == ["text 61C3A9", "text ", "blob 00FF"])
        let numbers = try database.read { db in
            try db.all("SELECT value FROM things WHERE typeof(value) = 'integer' ORDER BY id") { columns in
                try columns.next() as Int64
            }
        }
        #expect(numbers == [Int64.min, 1, 7])
        #expect(stored[6] == "text \(AppID.service.rawValue.utf8.map { String(format: "%02X", $0) }.joined())")
        #expect(try database.read { try $0.count("SELECT count(*) FROM things WHERE value IS NULL") } == 1)
    }

    @Test("Another number of values is an error, and nothing is executed")
    func wrongNumber() throws {
        for values: [(any ColumnValue)?] in [[], [1, 2]] {
            #expect(throws: DatabaseError.self) {
                try database.write { db in try db.run("INSERT INTO things (value) VALUES (?)", values) }
            }
        }
        #expect(try database.read { try $0.count("SELECT count(*) FROM things") } == 0)
    }

    @Test("Parameters that are not named in their order are an error, and nothing is executed")
    func wrongOrder() throws {
        try database.write { db in
            try db.run("INSERT INTO things (id, value) VALUES ($1, $2 || $1)", [1, "a"])
            #expect(throws: DatabaseError.self) {
                try db.run("INSERT INTO things (id, value) VALUES ($2, $1)", ["b", 2])
            }
            #expect(try db.count("SELECT count(*) FROM things") == 1)
        }
    }

    @Test("A statement works again after it has failed, and the error has no values and its extended code")
    func again() throws {
        try database.write { db in
            try db.run("INSERT INTO things (value) VALUES (?)", ["secret"])
            let error = #expect(throws: DatabaseError.self) {
                try db.run("INSERT INTO things (value) VALUES (?)", ["secret"])
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.description.contains("secret") == false)
            #expect(try db.run("INSERT INTO things (value) VALUES (?)", ["other"]) == 1)
            #expect(try db.run("UPDATE things SET value = value || ?", ["!"]) == 2)
        }
    }

    @Test("A query that is left after its first row holds nothing")
    func firstRow() throws {
        try database.write { db in
            for number in 1...3 { try db.run("INSERT INTO things (value) VALUES (?)", [number]) }
            let first = try db.first("SELECT value FROM things WHERE value > ? ORDER BY id", [1]) {
                try $0.next() as Int
            }
            #expect(first == 2)
            // A statement that is still at a row would lock the table.
            try db.execute(sql: "DROP TABLE things")
        }
    }

    @Test("A library of SQLite that cannot run the statements is refused with its version")
    func oldLibrary() throws {
        try ConnectionSettings.checkVersion(3_039_000)
        #expect(
            throws: StoreError.unavailable("the library of SQLite has version 3.38, and 3.39 or later is needed")
        ) { try ConnectionSettings.checkVersion(3_038_005) }
    }
}
