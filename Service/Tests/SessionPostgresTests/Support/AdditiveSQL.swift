/// Which statements a migration may contain: those after which the version before still works, and that hold no lock for long.
/// docs/stores.md has the rule.
enum AdditiveSQL {
    /// Returns what is wrong with a step. `nil`: nothing.
    static func problem(of statements: [String]) -> String? {
        let texts = statements.map { statement in
            statement.uppercased().split { $0.isWhitespace }.joined(separator: " ")
        }
        let created = Set(texts.compactMap { table(of: $0, after: "CREATE TABLE ") })
        for text in texts {
            if let problem = problem(of: text, created: created, isAlone: texts.count == 1) {
                return "\(problem): \(text)"
            }
        }
        return nil
    }

    private static func problem(of text: String, created: Set<String>, isAlone: Bool) -> String? {
        if text.hasPrefix("CREATE TABLE ") { return nil }
        if let table = table(of: text, after: "INSERT INTO ") {
            return created.contains(table) ? nil : "changes rows of a table that has rows"
        }
        if text.hasPrefix("CREATE INDEX ") || text.hasPrefix("CREATE UNIQUE INDEX ") {
            let table = text.components(after: " ON ").map(name)
            return table.map(created.contains) == true ? nil : "blocks writes while it creates an index"
        }
        guard text.hasPrefix("ALTER TABLE ") else { return "is not in the list of statements" }
        if text.contains(" ADD COLUMN ") {
            return text.contains(" NOT NULL") && !text.contains(" DEFAULT ") ? "fails rows of the version before" : nil
        }
        if text.contains(" ADD CONSTRAINT ") {
            return text.hasSuffix(" NOT VALID") ? nil : "reads the whole table under a lock"
        }
        if text.contains(" VALIDATE CONSTRAINT ") { return isAlone ? nil : "must be a step of its own" }
        return "changes what the version before uses"
    }

    private static func table(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? name(in: text.dropFirst(prefix.count)) : nil
    }

    private static func name(in text: Substring) -> String {
        String(text.prefix { $0 != " " && $0 != "(" })
    }
}

extension String {
    fileprivate func components(after separator: String) -> Substring? {
        firstRange(of: separator).map { self[$0.upperBound...] }
    }
}
