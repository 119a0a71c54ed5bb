/// The written list of the SQL that the store may use: what the documentation of distributed engines has, too.
///
/// Words in capital letters must be here. Other words must be names of the schema, functions of this list, or aliases. A
/// listener that learns of changes sooner is no part of these statements: it is optional, and has its own connection.
enum SQLFeatures {
    /// Statements, clauses and operators.
    static let words: Set = [
        // Reading
        "SELECT", "DISTINCT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "IS", "NULL", "TRUE", "FALSE", "EXISTS",
        "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "JOIN", "ON", "USING", "GROUP", "BY", "ORDER", "DESC", "LIMIT",
        "OFFSET", "UNION", "ALL", "ANY", "ARRAY", "VALUES", "CAST",
        // Writing
        "INSERT", "INTO", "UPDATE", "SET", "DELETE", "RETURNING", "WITH", "MATERIALIZED", "CONFLICT", "DO", "NOTHING",
        // Locks of rows
        "FOR", "NO", "KEY", "SHARE", "OF", "SKIP", "LOCKED",
        // Transactions
        "BEGIN", "COMMIT", "ROLLBACK", "ISOLATION", "LEVEL", "REPEATABLE", "READ", "COMMITTED", "ONLY",
    ]

    /// What only migrations use. There is no sequence, no trigger, no function and no extension.
    static let wordsOfMigrations: Set = [
        "CREATE", "TABLE", "INDEX", "PRIMARY", "FOREIGN", "REFERENCES", "CASCADE", "UNIQUE", "CHECK", "DEFAULT",
        "COLLATE", "TEXT", "BIGINT", "BYTEA", "BOOLEAN", "ALTER", "ADD", "COLUMN", "IF",
    ]

    static let functions: Set = [
        "count", "min", "max", "coalesce", "greatest", "length", "left", "replace", "position", "unnest", "substr",
        "substring",
        "convert_from", "set_config", "current_setting", "extract", "epoch", "clock_timestamp",
    ]

    /// Types of casts.
    static let types: Set = ["bigint", "text"]

    /// Names of expressions, and of the row that an insert could not make.
    static let aliases: Set = [
        "changed", "increased", "found", "chosen", "deleted", "remembered", "excluded", "wanted", "template", "part",
        "size",
        "delivery", "event", "fillfactor",
    ]

    /// What the store uses only where the engine has it.
    static let optional: Set = [
        "pg_notify", "pg_control_system", "system_identifier", "pg_current_wal_lsn", "pg_walfile_name",
    ]

    /// Finds the words that the store must not use.
    ///
    /// - Parameters:
    ///   - names: Tables, indexes and columns of the schema.
    ///   - more: Further words that this kind of statement may use.
    static func unknown(in sql: String, names: Set<String>, also more: Set<String> = []) -> Set<String> {
        let text = sql.replacing(/'[^']*'/, with: " ").replacing(/\$\d+/, with: " ").replacing("\"C\"", with: " ")
        let known = Set([words, functions, types, aliases, optional, more].joined())
        let found = text.matches(of: /[A-Za-z_][A-Za-z0-9_]*/).map { String($0.output) }
        let unknown = found.filter { word in
            // A name of the schema is no reason to accept a keyword.
            !known.contains(word) && !(names.contains(word) && word == word.lowercased())
        }
        let operators = text.matches(of: /[^\sA-Za-z0-9_(),.;]+/).map { String($0.output) }
        return Set(unknown + operators.filter { !self.operators.contains($0) })
    }

    private static let operators: Set = [
        "=", "<", ">", "<=", ">=", "<>", "+", "-", "*", "/", "||", "::", "[", "]", "[]",
    ]
}
