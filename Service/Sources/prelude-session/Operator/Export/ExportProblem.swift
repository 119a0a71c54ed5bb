import SessionDomain
import SessionSQLite

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
