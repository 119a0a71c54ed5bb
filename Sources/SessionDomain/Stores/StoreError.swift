/// What a store can fail with, beside an outcome. A failure never looks like success: the request fails.
package enum StoreError: Error, Equatable {
    /// The queue of waiting writers is full.
    case overloaded
    /// The database is from a newer version of the software.
    case newerSchema(found: Int, supported: Int)
    /// The database is from an older version of the software, or empty (`found` is 0), and was not to be changed.
    case olderSchema(found: Int, supported: Int)
    /// There is no database, and none was to be made.
    case missing
    /// The database refused or lost the write; the text is for the log, never for a client.
    case unavailable(String)
}
