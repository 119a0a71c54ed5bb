/// A store whose rows are read.
package protocol RowSource {
    /// How many rows the table has.
    func count(_ table: ExportedTable) throws -> Int

    /// Passes the rows of a table in their order.
    func read(_ table: ExportedTable, _ receive: (ExportedRow) throws -> Void) throws

    func close()
}

/// A store that is exported: all rows are those of one moment. Services may use it.
package protocol ExportSource: RowSource {
    /// Whether a service or a command has it open.
    func isInUse() throws -> Bool
}

/// A store that an import fills. Its rows can be read, to compare them. No service uses it before the end.
package protocol ImportTarget: RowSource {
    /// Creates the tables for an import, or finds the place where an earlier run has stopped.
    ///
    /// - Parameter start: The place after the header.
    /// - Throws: `ImportError.notEmpty` or `ImportError.overtaken`.
    func begin(at start: ImportPlace) throws -> ImportPlace

    func columns(of table: ExportedTable) throws -> [String: ExportedKind]

    /// Writes rows and the new place in one transaction.
    ///
    /// - Throws: `ImportError.overtaken` if another process has written meanwhile, `ImportError.unstorable`.
    func append(_ rows: [ExportedRow], to table: ExportedTable, from place: ImportPlace, to next: ImportPlace) throws

    /// Makes the store usable for services.
    func finish() throws
}

/// How much of a file is imported.
package struct ImportPlace: Sendable, Equatable {
    /// With the header.
    package let lines: Int
    /// That of these lines, in hexadecimal digits. Another file has another one.
    package let sha256: String

    package init(lines: Int, sha256: String) {
        self.lines = lines
        self.sha256 = sha256
    }
}

/// Why an import stops.
package enum ImportError: Error, Equatable {
    /// The target has tables of a service, and they are not those of an unfinished import.
    case notEmpty
    /// The target has an unfinished import of another file.
    case otherFile
    /// Another process imports into the same target.
    case overtaken
    /// A line of the file is wrong.
    case invalid(line: Int, String)
    /// The store refuses one of the rows that were passed to it. The first one has the index 0.
    case unstorable(index: Int, String)
    /// The rows of these tables differ after the import.
    case differs([String])
}
