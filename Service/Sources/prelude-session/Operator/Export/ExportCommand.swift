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

/// Shows the progress of an export or an import on the standard error: a line that changes on a terminal, else a line for each table and every
/// few seconds.
final class ExportDisplay {
    /// Milliseconds between two lines about the same table without a terminal.
    private static let interval: Int64 = 5000

    private let isQuiet: Bool
    private let isTerminal: Bool
    private let uptime: () -> Int64
    private let write: (String) -> Void
    private var startedAt: Int64
    private var last: (step: ExportProgress.Step, table: String, at: Int64)?

    /// - Parameter uptime: Milliseconds on a clock that never jumps.
    init(
        isQuiet: Bool, isTerminal: Bool = isatty(STDERR_FILENO) == 1, uptime: @escaping () -> Int64,
        write: @escaping (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
    ) {
        self.isQuiet = isQuiet
        self.isTerminal = isTerminal
        self.uptime = uptime
        self.write = write
        startedAt = uptime()
    }

    func show(_ progress: ExportProgress) {
        guard !isQuiet else { return }
        let now = uptime()
        let line = ExportProgressLine(progress, milliseconds: now - startedAt)
        if isTerminal {
            write("\r\u{1B}[K" + line.forTerminal)
        } else if last.map({
            $0.step != progress.step || $0.table != progress.table || now - $0.at >= Self.interval
        }) ?? true {
            write(line.plain + "\n")
            last = (progress.step, progress.table, now)
        }
    }

    /// Ends a step.
    ///
    /// - Returns: The milliseconds that it took.
    @discardableResult
    func end() -> Int64 {
        if isTerminal, !isQuiet { write("\r\u{1B}[K") }
        let now = uptime()
        defer { startedAt = now }
        return now - startedAt
    }
}

/// How far it is, in one line.
struct ExportProgressLine {
    private static let barWidth = 24

    private let progress: ExportProgress
    private let milliseconds: Int64

    /// - Parameter milliseconds: Since the step began.
    init(_ progress: ExportProgress, milliseconds: Int64) {
        self.progress = progress
        self.milliseconds = milliseconds
    }

    private var share: Double {
        progress.total == 0 ? 1 : min(1, Double(progress.rows) / Double(progress.total))
    }

    /// Rows per second of this run. `nil` after few rows, which say nothing.
    private var rate: Double? {
        progress.rowsOfRun < 1000 || milliseconds <= 0
            ? nil : Double(progress.rowsOfRun) * 1000 / Double(milliseconds)
    }

    private var state: String {
        let rows = "\(progress.rows) of \(progress.total) rows"
        guard let rate else { return rows }
        let left =
            progress.rows < progress.total ? ", \(Int(Double(progress.total - progress.rows) / rate) + 1) s left" : ""
        return rows + ", \(Int(rate)) rows/s" + left
    }

    var plain: String { "\(progress.step.rawValue) \(progress.table): \(state)" }

    var forTerminal: String {
        let done = Int(share * Double(Self.barWidth))
        let bar = String(repeating: "#", count: done) + String(repeating: ".", count: Self.barWidth - done)
        let percent = String(repeating: " ", count: 3 - String(Int(share * 100)).count) + "\(Int(share * 100))%"
        return "[\(bar)] \(percent)  \(progress.step.rawValue) \(progress.table)  \(state)"
    }
}

/// Why an export or an import stops, and what to do: the end of a sentence that begins with the name of a database.
struct ExportProblem {
    let text: String

    private static var version: String { BuildVersion.text }

    /// - Parameter error: A failure of an export.
    init(_ error: StoreError) {
        text =
            switch error {
            case .missing: "does not exist"
            case .inUse: "is in use by a restore. Try again when it has ended"
            case .olderSchema(found: 0, _): "is empty: there is nothing to export"
            case .olderSchema(let found, let supported):
                "has schema \(found), and this prelude-session \(Self.version) needs \(supported). Start the service of this "
                    + "version with it: it migrates. Then export"
            case .newerSchema(let found, let supported):
                "has schema \(found), and this prelude-session \(Self.version) supports up to \(supported). Export it with the "
                    + "version that has migrated it"
            case .damaged(let finding): "is damaged: \(finding). Restore a backup with `prelude-session backup restore`"
            case .unfinishedImport: "has an unfinished import. Finish it first"
            case .overloaded, .locked, .conflict, .unavailable: "cannot be read: \(error.reason)"
            }
    }

    init(ofTarget error: StoreError) {
        text =
            switch error {
            case .olderSchema(let found, let supported), .newerSchema(let found, let supported):
                "has schema \(found), and this prelude-session \(Self.version) has \(supported). Use the "
                    + "version that has begun the import, or begin again with a new database"
            // Another attempt helps only against failures that end.
            case .unavailable:
                "cannot be used: \(error.reason). When the cause is gone, run the same command again: it continues"
            default: "cannot be used: \(error.reason)"
            }
    }

    /// - Parameter database: That of the import.
    init(_ error: ImportError, _ database: DatabaseLocation) {
        let again =
            if case .file = database {
                "delete \(database.fullPath)\(SQLiteImportTarget.suffix), and import again"
            } else {
                "begin again with a new database"
            }
        text =
            switch error {
            case .notEmpty:
                "has the data of a service, or files that one has left beside it. An import needs a new database: name another "
                    + "one"
            case .otherFile: "has an unfinished import of another file. Import that file again, or \(again)"
            case .overtaken: "is the target of another import that runs now"
            case .invalid(let line, let problem): "cannot be filled: line \(line) \(problem)"
            case .unstorable(_, let reason): "cannot store a row: \(reason)"
            case .differs(let tables):
                "has other rows than the file in \(tables.joined(separator: ", ")). The order of the lines is not that of the "
                    + "export, or something has changed the database. Export again if necessary, and \(again)"
            }
    }
}
