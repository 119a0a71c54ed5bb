import SessionDomain
import SessionSQLite

/// Why a copy stops, and what to do: the end of a sentence that begins with the name of a database.
struct CopyProblem {
    let text: String

    private static var version: String { BuildVersion.text }

    init(ofSource error: StoreError) {
        text =
            switch error {
            case .missing: "does not exist"
            case .inUse: "is in use. Stop the service and all commands that use it"
            case .olderSchema(found: 0, _): "is empty: there is nothing to copy"
            case .olderSchema(let found, let supported):
                "has schema \(found), and this prelude-session \(Self.version) needs \(supported). Start the service of this "
                    + "version with it: it migrates. Then stop the service, and copy"
            case .newerSchema(let found, let supported):
                "has schema \(found), and this prelude-session \(Self.version) supports up to \(supported). Copy it with the "
                    + "version that has migrated it"
            case .damaged(let finding): "is damaged: \(finding). Restore a backup with `prelude-session backup restore`"
            case .unfinishedCopy: "has an unfinished copy of another database. Finish that copy first"
            case .overloaded, .locked, .conflict, .unavailable: "cannot be read: \(error.reason)"
            }
    }

    init(ofTarget error: StoreError) {
        text =
            switch error {
            case .missing: "does not exist: there is nothing to compare"
            case .inUse: "is in use. Stop the service and all commands that use it"
            case .olderSchema(found: 0, _): "has no tables of a service: there is nothing to compare"
            case .olderSchema(let found, let supported), .newerSchema(let found, let supported):
                "has schema \(found), and this prelude-session \(Self.version) has \(supported). Use the "
                    + "version that has begun the copy, or begin again with a new database"
            case .unfinishedCopy: "has an unfinished copy. Run the command without --verify-only: it continues"
            default: "cannot be used: \(error.reason)"
            }
    }

    init(_ error: CopyError) {
        text =
            switch error {
            case .notEmpty:
                "has the data of a service, or files that one has left beside it. A copy needs a new database: name another one"
            case .otherSource:
                "has an unfinished copy of another database, or of this one before a service changed it. Begin again with "
                    + "a new database"
            case .overtaken: "is the target of another copy that runs now"
            case .served(let count):
                "is in use: services have \(count) connections to it. Stop them on all nodes. A connection "
                    + "pooler keeps theirs for a while"
            case .unreadable(let error): Self(ofSource: error).text
            case .differs(let tables):
                "has other rows than the source in \(tables.joined(separator: ", ")). Something has changed one of the "
                    + "databases. Begin again with a new database"
            }
    }
}
