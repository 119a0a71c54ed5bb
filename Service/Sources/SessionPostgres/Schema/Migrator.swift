internal import SessionDomain
internal import SessionSQL

/// Migrates a database. One node migrates at a time, and the others wait.
struct Migrator {
    let connection: PostgresConnection
    var migrations = Migration.all
    /// How often a step is tried that cannot get a lock, twice a second.
    var attempts = 80

    private var supported: Int { migrations.last?.number ?? 0 }

    /// Migrates if `opening` allows it.
    ///
    /// - Returns: The schema version before, 0 for a new database, and the version now. It is newer than this program's if
    ///   the database says that this program can use it.
    /// - Throws: `StoreError.newerSchema` for a database of a newer version that this one cannot use;
    ///   `StoreError.olderSchema` if `opening` does not allow the migration.
    func migrate(_ opening: OpenMode = .migrating) throws -> (found: Int, now: Int) {
        let found = try checked(opening)
        if found >= supported { return (found, found) }
        let mayMigrate =
            switch opening {
            case .migrating: true
            case .creating: found == 0
            case .existing: false
            }
        guard mayMigrate else { throw StoreError.olderSchema(found: found, supported: supported) }
        // Behind a pooler, settings and locks do not last beyond a transaction. There, the lock of the row must do.
        let lasts = connection.pooledSettings == nil
        if lasts {
            // An index of a large table takes as long as it takes, and so does a step of another node.
            try connection.run(
                ["lock_timeout", "statement_timeout"].map { Statement("SELECT set_config($1, '0', FALSE)", [$0]) })
            try lock()
        }
        defer { if lasts { unlock() } }
        if found == 0 { try Partitioning.of(connection)?.check(connection) }
        try createLedger()
        var isNew = found == 0
        for migration in pending(after: found) {
            // Another node has created the database, so to this one it was not new.
            if try !apply(migration) { isNew = false }
        }
        // An import may have begun meanwhile, or a newer version may have been faster.
        try ImportMarker.refuse(in: connection)
        let now = try version()
        try checkUsable(now)
        return (isNew || found > 0 ? found : now, now)
    }

    /// Finds what keeps a database from being used, and changes nothing.
    ///
    /// - Returns: The schema version.
    /// - Throws: What `migrate` throws, and `StoreError.unavailable` without the rights that a start needs.
    func checked(_ opening: OpenMode) throws -> Int {
        let found = try version()
        try checkUsable(found)
        // After the version, which waits for an import that begins.
        try ImportMarker.refuse(in: connection)
        guard opening == .migrating else { return found }
        if found >= supported { try checkRights() } else { try checkMayMigrate(from: found) }
        return found
    }

    /// The steps that a database needs. A new one has no rows when an index is created.
    func pending(after found: Int) -> [Migration] {
        let pending = migrations.filter { $0.number > found }
        return found == 0 ? pending.map(\.ofNewTables) : pending
    }

    func createLedger() throws {
        // Another process that creates the table at the same time can fail on this one. Then it exists.
        do { try connection.run(Migration.ledger) } catch { try connection.run(Migration.ledger) }
    }

    /// Begins a transaction, and excludes others that migrate, or read the schema version, until it ends.
    ///
    /// - Returns: The schema version.
    func beginAlone() throws -> Int {
        let lock = Statement("LOCK TABLE prelude_session IN ACCESS EXCLUSIVE MODE")
        return try connection.run([.begin, lock, Migration.version]).last?.first { try $0.next() } ?? 0
    }

    /// 0 for a database without tables of the service.
    ///
    /// - Throws: `StoreError.unavailable` for a database in which another program has tables with these names, and without a
    ///   schema for the tables.
    func version() throws -> Int {
        let query = "SELECT current_schema() IS NOT NULL, to_regclass('prelude_session') IS NOT NULL"
        let row = try connection.run([Statement(query)])[0].first { (try $0.next() as Bool, try $0.next() as Bool) }
        let (hasSchema, exists) = row ?? (false, false)
        guard hasSchema else {
            throw StoreError.unavailable(
                "search_path names no schema that its role may use. Create the schema, or grant the role USAGE on it")
        }
        guard exists else {
            try refuseForeign()
            return 0
        }
        return try connection.run([Migration.version])[0].first { try $0.next() } ?? 0
    }

    /// One statement, because another node may create the tables now. Then the row with the version exists before them.
    private func refuseForeign() throws {
        let names = Self.tables.map { "'\($0)'" }.joined(separator: ", ")
        let query = """
            SELECT min(tablename::text) FROM pg_tables
            WHERE schemaname = current_schema() AND tablename IN (\(names)) AND to_regclass('prelude_session') IS NULL
            """
        let name: String? = try connection.run([Statement(query)])[0].first { try $0.next() as String? } ?? nil
        guard let name else { return }
        throw StoreError.unavailable(
            "it has a table of another program: \(name). Use a database of its own, or a schema of its own in search_path"
        )
    }

    private static let tables = ExportedTable.all.map(\.name) + ["copied_proofs", "settings_revision"]

    /// What a node needs of a table.
    private static func rights(on table: String) -> String {
        switch table {
        case "copied_proofs": "SELECT DELETE"
        case "settings_revision", "prelude_session": "SELECT UPDATE"
        default: "SELECT INSERT UPDATE DELETE"
        }
    }

    /// Another role may have created a table since the rights were granted. A node that does not notice would start, look
    /// healthy, and fail at its first calls. Row-level security would even end sessions: it hides rows without an error.
    ///
    /// - Throws: `StoreError.unavailable` if the role of this node lacks rights on a table, or may not see all of its rows.
    private func checkRights() throws {
        let tables = (Self.tables + ["prelude_session"]).map { "('\($0)', '\(Self.rights(on: $0))')" }
        let query = """
            SELECT name, current_user::text, row_security_active(id)
            FROM (VALUES \(tables.joined(separator: ", "))) AS tables (name, rights), to_regclass(name) AS id
            WHERE id IS NOT NULL AND (row_security_active(id) OR EXISTS (
                SELECT 1 FROM unnest(string_to_array(rights, ' ')) AS needed WHERE NOT has_table_privilege(id, needed)))
            ORDER BY name LIMIT 1
            """
        let row = try connection.run([Statement(query)])[0].first {
            (try $0.next() as String, try $0.next() as String, try $0.next() as Bool)
        }
        guard let (table, role, hidesRows) = row else { return }
        throw StoreError.unavailable(
            hidesRows
                ? "row-level security can hide rows of \(table) from the role \(role), and a hidden session would seem ended. "
                    + "Disable it for all tables, or give the role BYPASSRLS"
                : "the role \(role) lacks rights on \(table). Grant it SELECT, INSERT, UPDATE and DELETE on all tables")
    }

    /// New tables and indexes need a right on the schema, and changed tables belong to the role.
    ///
    /// - Throws: `StoreError.unavailable` if the role of this node cannot migrate.
    private func checkMayMigrate(from found: Int) throws {
        let changed = pending(after: found).flatMap(\.changedTables).map { "'\($0)'" }
        let query = """
            SELECT current_user::text, current_schema()::text, has_schema_privilege(current_schema()::text, 'CREATE'), (
                SELECT min(tablename::text) FROM pg_tables WHERE schemaname = current_schema()
                AND tablename IN (\((changed + ["''"]).joined(separator: ", "))) AND NOT pg_has_role(tableowner, 'USAGE'))
            """
        let row: (String, String, Bool, String?)?
        do {
            row = try connection.run([Statement(query)])[0].first {
                (try $0.next(), try $0.next(), try $0.next(), try $0.next())
            }
        } catch let failure as PostgresFailure where failure.isOfEngine {
            return
        }
        guard let (role, schema, mayCreate, table) = row else { return }
        guard mayCreate else {
            throw StoreError.unavailable(
                "the role \(role) may not create tables in the schema \(schema), which this start must do. Make it the owner "
                    + "of the database, or run: GRANT CREATE ON SCHEMA \(schema) TO \(role)")
        }
        guard let table, found > 0 else { return }
        throw StoreError.unavailable(
            "the role \(role) does not own the table \(table), which the migration from schema \(found) to \(supported) "
                + "changes. Run `prelude-session migrate up` with the role that owns it")
    }

    /// - Throws: `StoreError.newerSchema` if a newer version has migrated the database, and this one cannot use it.
    func checkUsable(_ found: Int) throws {
        guard found > supported else { return }
        let row = try connection.run([Statement("SELECT usable_from FROM prelude_session WHERE id = 1")])[0]
        let from: Int? = try row.first { try $0.next() as Int? } ?? nil
        guard let from, from <= supported else { throw StoreError.newerSchema(found: found, supported: supported) }
    }

    /// Returns `false`, and does nothing, if another node was faster.
    private func apply(_ migration: Migration) throws -> Bool {
        for _ in 1..<attempts {
            do {
                return try applyOnce(migration)
            } catch let failure as PostgresFailure where failure.kind == .conflict {
                pause("0.5")
            }
        }
        do {
            return try applyOnce(migration)
        } catch let failure as PostgresFailure where failure.kind == .conflict {
            throw StoreError.unavailable(
                "migration \(migration.number) (\(migration.name)) needs a lock that another transaction holds. Wait "
                    + "until long transactions have ended, such as pg_dump, and try again (\(failure.reason))")
        }
    }

    private func applyOnce(_ migration: Migration) throws -> Bool {
        let partitioning = try partitioning(of: migration)
        do {
            let current = try connection.run(migration.beginning).last?.first { try $0.next() as Int } ?? 0
            guard current < migration.number else {
                _ = try connection.run([.rollback])
                return false
            }
            if let partitioning, case .index(let name, let target) = migration.work {
                try PartitionedIndex(name, on: target, partitioning).dropInvalid(connection)
            }
            if case .rows(let rewrite) = migration.work { try rewrite(connection) }
            for pipeline in migration.pipelines(partitioning) { _ = try connection.run(pipeline) }
            return true
        } catch {
            _ = try? connection.run([.rollback])
            throw error
        }
    }

    /// How the tables of a step are split.
    func partitioning(of migration: Migration) throws -> Partitioning? {
        switch migration.work {
        case .transaction, .rows: try Partitioning.of(connection)
        case .index(_, let target): try Partitioning.of(connection, table: PartitionedIndex.table(of: target))
        }
    }

    // The lock of the row ends with each transaction. This one is for all steps, and for those without a transaction.
    private static let key = "hashtext('prelude-session migrate'), hashtext(current_schema()::text)"

    /// A statement that waits for a lock would keep an index from being finished. So this one asks again and again.
    private func lock() throws {
        while true {
            let rows = try connection.run([Statement("SELECT pg_try_advisory_lock(\(Self.key))")])
            if try rows[0].first({ try $0.next() as Bool }) == true { return }
            pause("0.1")
        }
    }

    private func unlock() { _ = try? connection.run([Statement("SELECT pg_advisory_unlock(\(Self.key))")]) }

    private func pause(_ seconds: String) { _ = try? connection.run([Statement("SELECT pg_sleep(\(seconds))")]) }
}
