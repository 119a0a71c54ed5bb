/// The schema of a database, compared with the one of this program.
package struct SchemaState: Sendable, Equatable {
    /// One step that the database lacks.
    package struct Step: Sendable, Equatable {
        package let number: Int
        package let name: String
        /// What the step runs, in order. Each statement ends without a semicolon.
        package let sql: [String]

        package init(number: Int, name: String, sql: [String]) {
            self.number = number
            self.name = name
            self.sql = sql
        }
    }

    /// The version of the database, 0 for one without tables.
    package let found: Int
    /// The version of this program.
    package let supported: Int
    /// Whether this program can use the database, after a migration if steps are pending.
    package let isUsable: Bool
    package let pending: [Step]

    package init(found: Int, supported: Int, isUsable: Bool, pending: [Step]) {
        self.found = found
        self.supported = supported
        self.isUsable = isUsable
        self.pending = pending
    }
}
