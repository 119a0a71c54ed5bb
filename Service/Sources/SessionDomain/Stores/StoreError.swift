/// A failure of a store. The request fails; no failure looks like an outcome.
package enum StoreError: Error, Equatable {
    /// The queue of waiting writes is full.
    case overloaded
    /// The database was written by a newer version of the software.
    case newerSchema(found: Int, supported: Int)
    /// The database was written by an older version, or is empty (`found` is 0), and may not be migrated.
    case olderSchema(found: Int, supported: Int)
    /// The database does not exist and may not be created.
    case missing
    /// The file is damaged. The text is the first finding.
    case damaged(String)
    /// Another process has the database open, or replaces it.
    case inUse
    /// The database has an import that is not finished.
    case unfinishedImport
    /// Another transaction kept a row locked for longer than the call may wait. The database works.
    case locked
    /// Other calls changed the rows of this call in each attempt. The text is for the log.
    case conflict(String)
    /// The database rejected or lost the write. The text is for the log, never for a client.
    case unavailable(String)

    /// The guards of an intent failed in every attempt.
    package static let contended = StoreError.conflict(
        "the rows changed in each of \(GuardFailures.maximumAttempts) attempts to write them")

    /// Whether other calls changed the same rows for as long as this call could wait. The database works.
    package var isOfCaller: Bool {
        switch self {
        case .locked, .conflict: true
        default: false
        }
    }

    /// The reason in words, for logs.
    package var reason: String {
        switch self {
        case .overloaded: "too many writes wait"
        case .newerSchema(let found, let supported): "its schema is \(found), and this version supports \(supported)"
        case .olderSchema(let found, let supported): "its schema is \(found), and this version needs \(supported)"
        case .missing: "the file is missing"
        case .damaged(let finding): "the file is damaged: \(finding)"
        case .inUse: "another process replaces it"
        case .unfinishedImport: "an import into it is not finished"
        case .locked: "another transaction kept a row locked for too long"
        case .conflict(let reason), .unavailable(let reason): reason
        }
    }
}
