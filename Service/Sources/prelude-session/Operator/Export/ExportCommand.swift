import ArgumentParser
import Foundation
import SessionDomain
import SessionPostgres
import SessionSQLite

/// `prelude-session export`: writes all rows of a database as lines of JSON.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything in the database as lines of JSON, to move it or to look into it.",
        discussion: """
            The first line has the schema and the number of rows of each table. Every other line is a row. All rows are those \
            of one moment; the service may run meanwhile. To move a service, stop it first: devices that use it after the \
            export would be signed out. The lines have personal data and secrets, such as sealed keys and hashes of passwords.

            The master keys are not exported: give the new service the key file of the old one.
            """)

    @Option(
        name: .shortAndLong, help: "The new file, which appears when it is complete. - is the standard output.",
        completion: .file())
    var output = "-"

    @Flag(help: "Show no progress.")
    var quiet = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let database = try options.configuration().database
        if output == "-", isatty(STDOUT_FILENO) == 1 {
            throw ConfigurationError("output", "must name a file: lines with secrets do not belong on a terminal")
        }
        let source = try Self.open(database)
        defer { source.close() }
        let display = ExportDisplay(isQuiet: quiet, uptime: ServiceEnvironment.live.uptime)
        let export = DatabaseExport(of: source, schema: Self.schema, report: display.show)
        let rows: Int
        do {
            if try source.isInUse() {
                Self.note("\(database.fullPath) is in use: what is written to it from now on is not in the export.")
            }
            rows = try output == "-" ? export.write(to: Self.print) : write(export)
        } catch let error as StoreError {
            throw ConfigurationError("database", "\(database.fullPath) \(ExportProblem(error).text)")
        }
        let time = display.end()
        guard !quiet else { return }
        Self.note("Exported \(ImportSummary.rate(rows: rows, milliseconds: time)).")
        Self.note(MovedMasterKeys(of: database).advice)
    }

    /// The newest schema number of this program, whichever store it is for.
    static let schema = max(SQLiteStore.supportedSchema, PostgresStore.supportedSchema)

    private static func open(_ database: DatabaseLocation) throws -> any ExportSource {
        do {
            switch database {
            case .server(let location): return try PostgresExportSource(location)
            case .file(let path): return try SQLiteExportSource(path)
            case .memory:
                throw ConfigurationError(
                    "database", "must be a file or a server: a database in memory ends with its service")
            }
        } catch let error as StoreError {
            throw ConfigurationError("database", "\(database.fullPath) \(ExportProblem(error).text)")
        }
    }

    static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    private static func print(_ bytes: Data) throws {
        do { try FileHandle.standardOutput.write(contentsOf: bytes) } catch {
            throw ConfigurationError("output", "the standard output cannot be written: the export is not complete")
        }
    }

    /// Writes a file that only its owner can read. It gets its name at the end, and replaces no other.
    private func write(_ export: DatabaseExport) throws -> Int {
        guard !DatabaseFile.exists(at: output) else {
            throw ConfigurationError("output", "\(output) exists. Name a new file")
        }
        let partial = "\(output).partial-\(getpid())"
        defer { try? DurableFile.remove(partial) }
        let file = try Self.writing {
            try DurableFile.create(partial, Data())
            return try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
        }
        let rows = try export.write { bytes in try Self.writing { try DurableFile.write(bytes, to: file, output) } }
        try Self.writing {
            try file.close()
            try DurableFile.sync(partial)
            // Unlike a rename, this replaces no file.
            try DurableFile.link(partial, as: output)
        }
        return rows
    }

    /// Turns failures of the new file into errors for operators.
    private static func writing<Answer>(_ work: () throws -> Answer) throws -> Answer {
        do { return try work() } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("output", reason)
        }
    }
}
