@testable import SessionPostgres

/// Steps that stand for the next release: they contain each kind of statement that a release may add.
enum WidenedSchema {
    private static let supported = Migration.supported
    private static let tables =
        Partitioning.keys.keys.sorted() + ["apps", "webhooks", "signing_keys", "management_keys"]

    static let transactions = [
        // Two columns of each table: one that the release before leaves empty, and one with a default.
        tables.flatMap { table in
            [
                "ALTER TABLE \(table) ADD COLUMN next_note TEXT",
                "ALTER TABLE \(table) ADD COLUMN next_count BIGINT NOT NULL DEFAULT 7",
            ]
        },
        [
            "CREATE TABLE next_things (app_id TEXT COLLATE \"C\" NOT NULL, id TEXT NOT NULL, PRIMARY KEY (app_id, id))",
            "CREATE INDEX next_things_by_id ON next_things (id)",
        ],
        ["ALTER TABLE sessions ADD CONSTRAINT next_range CHECK (generation >= 0) NOT VALID"],
        ["ALTER TABLE sessions VALIDATE CONSTRAINT next_range"],
    ]

    static let steps =
        transactions.enumerated().map { offset, statements in
            Migration(
                number: supported + 1 + offset, name: "next \(offset)", usableFrom: supported, statements: statements)
        } + [
            Migration(
                number: supported + 1 + transactions.count, name: "next index", usableFrom: supported,
                work: .index(name: "sessions_by_next_note", on: "sessions (app_id, next_note)"))
        ]
}
