import ArgumentParser
import Foundation
import SessionDomain
import SessionPostgres
import SessionSQLite

/// `prelude-session import`: fills a new database with the lines of an export.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Fill a new database with the lines of an export.",
        discussion: """
            The database must be new: an empty PostgreSQL database, or a file that does not exist. Devices stay signed in. At \
            the end all rows are compared with the file. Until then, no service starts with the database. If the command is \
            killed, run it again with the same file: it continues.

            The master keys are not in the file: give the service the key file of the old one.
            """)

    @Argument(help: "The file that `export` has written. - is the standard input.", completion: .file())
    var file: String

    @Flag(help: "Show no progress.")
    var quiet = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let database = try options.configuration().database
        let lines = try FileLines(file)
        let target = try Self.open(database)
        defer { target.close() }
        let display = ExportDisplay(isQuiet: quiet, uptime: ServiceEnvironment.live.uptime)
        let work = DatabaseImport(into: target, schema: ExportCommand.schema, report: display.show)
        do {
            let imported = try work.run(lines.next)
            let importing = display.end()
            let findings = try work.compare(imported)
            let comparing = display.end()
            print(ImportSummary(findings).table)
            try work.finish(after: findings)
            print(
                """
                Imported \(ImportSummary.rate(rows: imported.written, milliseconds: importing)). Compared the database with \
                the file in \(ImportSummary.seconds(comparing)) s: they have the same rows.
                The service needs the same master keys as before.
                """)
        } catch ImportError.invalid(let line, let problem) {
            throw ConfigurationError("file", "\(file == "-" ? "the standard input" : file), line \(line): \(problem)")
        } catch let error as ImportError {
            throw ConfigurationError("database", "\(database.fullPath) \(ExportProblem(error, database).text)")
        } catch let error as StoreError {
            throw ConfigurationError("database", "\(database.fullPath) \(ExportProblem(ofTarget: error).text)")
        }
    }

    private static func open(_ database: DatabaseLocation) throws -> any ImportTarget {
        do {
            switch database {
            case .server(let location): return try PostgresImportTarget(location)
            case .file(let path): return try SQLiteImportTarget(path)
            case .memory:
                throw ConfigurationError(
                    "database", "must be a file or a server: a database in memory ends with this command")
            }
        } catch let error as StoreError {
            throw ConfigurationError("database", "\(database.fullPath) \(ExportProblem(ofTarget: error).text)")
        }
    }
}

/// The lines of a file, one after the other.
final class FileLines {
    /// Bytes that are read at once, and those that a line may have.
    private static let (block, longest) = (1 << 20, 64 << 20)

    private let file: FileHandle
    private let path: String
    private var bytes = Data()
    private var start = 0
    private var isAtEnd = false

    /// - Parameter path: `-` is the standard input.
    init(_ path: String) throws {
        self.path = path
        guard path != "-" else {
            file = .standardInput
            return
        }
        let place = URL(fileURLWithPath: path).standardizedFileURL.path
        if let obstacle = ReadableFile(path: path).obstacle {
            throw ConfigurationError("file", obstacle.problem(of: place, ifMissing: "Name the file of an export"))
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw ConfigurationError("file", "\(place) cannot be read")
        }
        self.file = file
    }

    /// The next line without its newline. `nil` at the end.
    func next() throws -> Data? {
        var searched = start
        while true {
            if let end = newline(from: searched) {
                defer { start = end + 1 }
                return Data(bytes[start..<end])
            }
            if isAtEnd {
                guard start < bytes.count else { return nil }
                defer { start = bytes.count }
                return Data(bytes[start...])
            }
            guard bytes.count - start <= Self.longest else {
                throw ConfigurationError("file", "\(path) has a line of more than 64 MiB: it is no export")
            }
            // What was returned is no longer needed.
            bytes = Data(bytes[start...])
            (start, searched) = (0, bytes.count)
            let more: Data
            do { more = try file.read(upToCount: Self.block) ?? Data() } catch {
                throw ConfigurationError("file", "\(path) cannot be read any more")
            }
            isAtEnd = more.isEmpty
            bytes.append(more)
        }
    }

    private func newline(from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, CInt(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}

/// What an import has found in each table, as text.
struct ImportSummary {
    private let findings: [DatabaseImport.Finding]

    init(_ findings: [DatabaseImport.Finding]) { self.findings = findings }

    /// One line for each table: rows and the start of their digest. Both sides, if they differ.
    var table: String {
        let width = (findings.map(\.table.count) + [5]).max() ?? 5
        let digits = (findings.map { String($0.file.rows).count } + [4]).max() ?? 4
        func line(_ name: String, _ rows: String, _ digest: String) -> String {
            let name = name + String(repeating: " ", count: max(0, width - name.count))
            return name + "  " + String(repeating: " ", count: max(0, digits - rows.count)) + rows + "  " + digest
        }
        func line(_ finding: DatabaseImport.Finding) -> String {
            let digest = String(finding.file.sha256.prefix(16))
            guard !finding.isEqual else { return line(finding.table, String(finding.file.rows), digest) }
            return line(
                finding.table, String(finding.file.rows),
                "\(digest)  differs: the database has \(finding.target.rows) rows, \(finding.target.sha256.prefix(16))")
        }
        return ([line("table", "rows", "sha256")] + findings.map { line($0) }).joined(separator: "\n")
    }

    static func rate(rows: Int, milliseconds: Int64) -> String {
        let rate = milliseconds > 0 ? " (\(Int64(rows) * 1000 / milliseconds) rows/s)" : ""
        return "\(rows) rows in \(seconds(milliseconds)) s\(rate)"
    }

    static func seconds(_ milliseconds: Int64) -> String { "\(milliseconds / 1000).\(milliseconds % 1000 / 100)" }
}

/// The master keys that an exported database needs.
struct MovedMasterKeys {
    private let ids: [String]
    /// The key file beside an embedded database, if there is one.
    private let file: String?
    /// Whether it has all keys.
    private let isComplete: Bool

    init(of database: DatabaseLocation) {
        guard case .file(let path) = database else {
            (ids, file, isComplete) = ([], nil, false)
            return
        }
        let keys = KeyFile(besideDatabase: path)
        ids = ((try? DatabaseSummary.read(at: path))?.sealingKeyIDs ?? []).sorted()
        file = FileManager.default.fileExists(atPath: keys.path) ? DatabaseLocation.file(keys.path).fullPath : nil
        let known = (try? keys.read())?.map(\.id) ?? []
        isComplete = Set(ids).isSubset(of: known)
    }

    /// What to do with the keys.
    var advice: String {
        let names = ids.isEmpty ? "" : ": \(ids.joined(separator: ", "))"
        let needed = "The service needs the same master keys as before\(names)."
        guard let file else { return needed }
        guard isComplete else {
            return needed + " \(file) does not have them, or cannot be read: find the keys that the service has used."
        }
        return needed + " They are in \(file): copy this file to each node, and name it with `keyFile`."
    }
}
