internal import Foundation
internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("Values keep their meaning on the way to the server and back")
struct PostgresValueTests {
    private let connection: PostgresConnection

    init() throws { connection = try TestServer.connect() }

    @Test(
        "Bytes",
        arguments: [
            Data(), Data([0]), Data([0x5C, 0x78, 0x27, 0x22]), Data(0...255), Data(repeating: 0xFF, count: 100_000),
        ])
    func bytes(data: Data) throws {
        #expect(try connection.one("SELECT $1::bytea", [data]) as Data == data)
        #expect(try connection.one("SELECT length($1::bytea)", [data]) as Int == data.count)
        // A slice has other indexes.
        let slice = (Data([9]) + data).dropFirst()
        #expect(slice.stored.postgresText == data.stored.postgresText)
    }

    @Test("Numbers, times and truth")
    func numbers() throws {
        for number in [Int64.min, -1, 0, 1, .max] {
            #expect(try connection.one("SELECT $1::bigint", [number]) as Int64 == number)
            let time = Timestamp(milliseconds: number)
            #expect(try connection.one("SELECT $1::bigint", [time]) as Timestamp == time)
        }
        for truth in [true, false] {
            #expect(try connection.one("SELECT $1::boolean", [truth]) as Bool == truth)
            #expect(try connection.one("SELECT NOT $1::boolean", [truth]) as Bool == !truth)
        }
    }

    @Test("Texts that are no values of a type are errors, and not other values")
    func wrong() throws {
        func isRejected(_ text: String, _ type: (some ColumnValue).Type) throws -> Bool {
            let rows = try connection.run([Statement("SELECT $1::text", [text])])[0]
            do {
                _ = try rows.first { try type.read(&$0) }
                return false
            } catch { return error as? StoreError == StoreError.unreadableRow }
        }
        for text in ["", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "NaN", "infinity"] {
            #expect(try isRejected(text, Int64.self))
            #expect(try isRejected(text, Int.self))
            #expect(try isRejected(text, Timestamp.self))
        }
        for text in ["", "true", "false", "T", "1", "0", "tt"] { #expect(try isRejected(text, Bool.self)) }
        for text in ["", "x", "41", "\\x4", "\\x4g", "\\x 41", "\\X41", "A\\x41", "\\xé0", "\\x\u{FF14}1"] {
            #expect(try isRejected(text, Data.self), "\(text)")
        }
        #expect(try isRejected("Active", User.Status.self))
        #expect(try isRejected("not an app", AppID.self))
        #expect(try isRejected("{}", TextArray.self))
    }

    @Test("A column of another type, and NULL, are errors")
    func columns() throws {
        let row = try connection.run([Statement("SELECT 'x', NULL::bigint, 3")])[0]
        let unreadable = StoreError.unavailable("a stored row cannot be read")
        #expect(throws: unreadable) { try row.first { try $0.next() as Int } }
        #expect(throws: unreadable) { try row.first { (try $0.next() as String, try $0.next() as Int) } }
        let read = try row.first { (try $0.next() as String, try $0.next() as Int?, try $0.next() as Int) }
        #expect(read?.1 == nil)
        #expect(read?.2 == 3)
        // More columns than the statement has.
        #expect(throws: unreadable) {
            try row.first { columns in
                for _ in 0..<3 { let _: String? = try columns.next() }
                return try columns.next() as String
            }
        }
    }

    @Test(
        "Arrays have the texts that were sent",
        arguments: [
            [], [""], ["a", "b"], ["NULL", "null"], [#"""#, #"\"#, #"\""#, "{", "}", ",", "{a,b}"],
            [" a ", "\n", "\t"],
            ["'", "$1", "%"], ["é", "🧑‍🚀", "e\u{301}", "\u{1}"], ["\"\u{301}", "\\\u{301}"],
        ])
    func arrays(texts: [String]) throws {
        let rows = try connection.run([
            Statement(
                "SELECT text FROM unnest($1::text[]) WITH ORDINALITY AS t (text, n) ORDER BY n", [TextArray(texts)])
        ])
        let found: [String] = try rows[0].all { try $0.next() }
        #expect(found.map { Array($0.unicodeScalars) } == texts.map { Array($0.unicodeScalars) })
    }

    @Test("A role with other settings reads the same values")
    func settings() throws {
        let url = try TestServer.url + "?options=-cbytea_output%3Descape%20-cextra_float_digits%3D0"
        let data = Data([0, 0x41, 0x5C, 0xFF])
        #expect(try TestServer.connect(to: url).one("SELECT $1::bytea", [data]) as Data == data)
    }
}

extension ColumnValue {
    /// Reads the next column as this type.
    fileprivate static func read(_ columns: inout ColumnReader) throws -> Self? { try columns.next() }
}
