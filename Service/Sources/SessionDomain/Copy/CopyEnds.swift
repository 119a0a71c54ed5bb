/// A store whose rows a copy reads. No other process writes to it meanwhile.
package protocol CopySource {
    /// How many rows the table has.
    func count(_ table: CopiedTable) throws -> Int

    /// Passes the rows of a table in their order, many at a time.
    ///
    /// - Parameter skipped: Rows at the beginning that are not passed.
    func read(_ table: CopiedTable, skipping skipped: Int, _ receive: (CopyLines) throws -> Void) throws

    func close()
}

/// A store to which a copy writes. Its rows can be read, to compare them.
package protocol CopyTarget: CopySource {
    /// Creates the tables for a copy, or finds the place where an earlier run of the same copy has stopped.
    ///
    /// - Parameter source: Names the content of the source. Another content has another name. `nil`: a copy begins again.
    /// - Throws: `CopyError.notEmpty` or `CopyError.otherSource`.
    func begin(from source: String?) throws -> CopyPlace

    /// Checks that the tables of this version exist.
    func checkSchema() throws

    /// Writes rows and the new place in one transaction.
    ///
    /// - Throws: `CopyError.overtaken` if another process has written meanwhile.
    func append(_ lines: CopyLines, to table: CopiedTable, from place: CopyPlace) throws

    /// Makes the copy usable for services.
    func finish() throws
}

/// How far a copy is: rows of all tables before this one, and some of this one, are written.
package struct CopyPlace: Sendable, Equatable {
    package let table: String
    package let rows: Int

    package init(table: String, rows: Int) {
        self.table = table
        self.rows = rows
    }

    package static let start = CopyPlace(table: CopiedTable.all[0].name, rows: 0)
}

/// Why a copy stops.
package enum CopyError: Error, Equatable {
    /// The target has tables of a service, and they are not those of an unfinished copy.
    case notEmpty
    /// The target has an unfinished copy of something else, or of an earlier state of the source.
    case otherSource
    /// Another process copies to the same target.
    case overtaken
    /// Services have this number of connections to the source.
    case served(Int)
    /// The source cannot be read any more.
    case unreadable(StoreError)
    /// The rows of these tables differ after the copy.
    case differs([String])
}
