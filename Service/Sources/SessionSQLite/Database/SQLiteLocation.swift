/// Where an embedded database is stored.
package enum SQLiteLocation: Sendable, Equatable {
    case file(String)
    /// In memory. It is lost when the process ends.
    case memory
}
