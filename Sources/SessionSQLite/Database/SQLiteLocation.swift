/// Where an embedded database lives.
package enum SQLiteLocation: Sendable, Equatable {
    case file(String)
    /// Gone with the process.
    case memory
}
