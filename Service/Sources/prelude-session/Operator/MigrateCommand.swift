import ArgumentParser
import SessionDomain
import SessionPostgres
import SessionSQLite

/// `prelude-session migrate`: compares the schema of the database with this version, and migrates it.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Show, plan and run migrations of the database.",
        discussion: """
            `serve` migrates when it starts. Use these commands to see before what it will do, or to migrate at another \
            time. A node of the version before keeps working with a migrated PostgreSQL database.
            """,
        subcommands: [Status.self, Plan.self, Up.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the schema of the database and the pending migrations.",
            discussion: """
                Changes nothing. The exit code is 0 if nothing is to do, 2 if migrations are pending, and 1 for an error, \
                such as a database that only a newer version can use.
                """)

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let migration = try SchemaMigration(options)
            let state = try migration.state()
            try options.show([
                ("database", .text(migration.database.fullPath)), ("schema", .number(state.found)),
                ("supported", .number(state.supported)), ("state", .text(state.label)),
                ("pending", .list(state.names, none: "none")),
            ])
            try migration.check(state)
            if !state.pending.isEmpty { throw ExitCode(2) }
        }
    }

    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan", abstract: "Print the SQL of the pending migrations.",
            discussion: """
                Changes nothing. Prints nothing if no migration is pending. `up` runs these statements, under a lock that \
                other nodes wait for. The first line makes `sqlite3` or `psql` end at the first error.
                """)

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let migration = try SchemaMigration(options)
            let state = try migration.state()
            try migration.check(state)
            guard !options.json else {
                return try options.show(
                    state.pending.map { step in
                        [
                            ("number", .number(step.number)), ("name", .text(step.name)),
                            ("sql", .text(step.sql.map { $0 + ";" }.joined(separator: "\n"))),
                        ]
                    })
            }
            if !state.pending.isEmpty { print(migration.endAtError) }
            for step in state.pending {
                print("-- \(step.number) \(step.name)")
                for statement in step.sql { print(statement + ";") }
            }
        }
    }

    struct Up: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "up", abstract: "Run the pending migrations.",
            discussion: """
                Does what `serve` does when it starts, and waits while another node migrates: with SQLite five seconds, \
                then it fails. Creates the tables of an empty PostgreSQL database. Back up before.
                """)

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let migration = try SchemaMigration(options)
            let state = try migration.state()
            try migration.check(state)
            let (from, to) = state.pending.isEmpty ? (state.found, state.found) : try await migration.migrate()
            // Another node may have been faster.
            let steps = SchemaState(
                found: from, supported: state.supported, isUsable: true,
                pending: state.pending.filter { $0.number > from && $0.number <= to })
            try options.show([
                ("database", .text(migration.database.fullPath)), ("from", .number(from)), ("to", .number(to)),
                ("steps", .list(steps.names, none: "none")),
            ])
        }
    }
}

/// The configured database, for commands that concern its schema.
private struct SchemaMigration {
    let database: DatabaseLocation
    private let source: Settings.Source

    init(_ options: DatabaseOptions) throws {
        let configuration = try options.shared.configuration([:])
        guard configuration.database != .memory else {
            throw ConfigurationError("database", "a database in memory has no migrations. Name a file or a server")
        }
        database = configuration.database
        source = configuration.databaseSource
    }

    /// The command of `sqlite3` or `psql` without which they go on after an error, so that rows could be lost.
    var endAtError: String {
        if case .server = database { #"\set ON_ERROR_STOP on"# } else { ".bail on" }
    }

    func state() throws -> SchemaState {
        try explaining { () throws(StoreError) in
            switch database {
            case .memory: throw .missing
            case .file(let path): try SQLiteStore.schema(at: path)
            case .server(let location): try PostgresStore.schema(of: location)
            }
        }
    }

    /// - Throws: `ConfigurationError` if this version cannot use the database.
    func check(_ state: SchemaState) throws {
        guard !state.isUsable else { return }
        try explaining { () throws(StoreError) in
            throw .newerSchema(found: state.found, supported: state.supported)
        }
    }

    func migrate() async throws -> (found: Int, now: Int) {
        let store = try explaining { () throws(StoreError) in try database.open(.migrating, environment: .live) }
        try await store.close()
        return store.schema
    }

    private func explaining<Answer>(_ work: () throws(StoreError) -> Answer) throws -> Answer {
        do {
            return try work()
        } catch {
            throw ConfigurationError(error, opening: database, from: source)
        }
    }
}

extension SchemaState {
    fileprivate var label: String {
        if !isUsable { return "newer" }
        if found > supported { return "newer, usable" }
        return pending.isEmpty ? "current" : found == 0 ? "empty" : "pending"
    }

    fileprivate var names: [String] { pending.map { "\($0.number) \($0.name)" } }
}
