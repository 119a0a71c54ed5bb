internal import Testing

@testable import SessionPostgres

@Suite("A release can use the database that the next one has migrated")
struct AdditiveMigrationTests {
    /// The numbers of steps that remove what the last release no longer uses.
    private static let contractions: Set<Int> = []

    @Test("Steps are in order, and each one says which programs can use the database")
    func order() {
        let steps = Migration.all
        #expect(steps.map(\.number) == steps.map(\.number).sorted())
        #expect(Set(steps.map(\.number)).count == steps.count)
        #expect(steps.map(\.usableFrom) == steps.map(\.usableFrom).sorted())
        #expect(steps.allSatisfy { $0.usableFrom <= $0.number })
        #expect(Migration.released <= Migration.supported)
    }

    @Test("The last release can use the database after each step")
    func released() {
        for step in Migration.all where step.number > Migration.released {
            #expect(step.usableFrom <= Migration.released, "\(step.number) \(step.name)")
        }
    }

    @Test("A step after the first tables changes nothing that the version before uses, and holds no lock for long")
    func additive() {
        let steps = Migration.all.filter { $0.number > 9 && !Self.contractions.contains($0.number) }
        for case .transaction(let statements) in steps.map(\.work) {
            #expect(AdditiveSQL.problem(of: statements) == nil)
        }
    }

    @Test("This program keeps the whole contract on tables that a next release has widened", arguments: [0, 3])
    func widened(partitions: Int) async throws {
        for statements in WidenedSchema.transactions { #expect(AdditiveSQL.problem(of: statements) == nil) }
        let outcome = try await ContractRun().outcome {
            let url = try TestServer.emptySchema(partitions: partitions)
            try await onOwnThread {
                // The creation of an index waits for transactions of all tests.
                let connection = try TestServer.connect(to: url, patience: 60_000)
                _ = try Migrator(connection: connection).migrate()
                let schema = try Migrator(connection: connection, migrations: Migration.all + WidenedSchema.steps)
                    .migrate()
                #expect(schema.now == Migration.supported + WidenedSchema.steps.count)
            }
            return url
        }
        for error in outcome.errors { Issue.record(Comment(rawValue: error)) }
    }

    @Test(
        "These statements are additive",
        arguments: [
            ["ALTER TABLE users ADD COLUMN nickname TEXT"],
            ["ALTER TABLE users ADD COLUMN visits BIGINT NOT NULL DEFAULT 0"],
            ["CREATE TABLE a (n BIGINT)", "CREATE INDEX a_by_n ON a (n)", "INSERT INTO a (n) VALUES (1)"],
            ["ALTER TABLE users ADD CONSTRAINT short CHECK (length(nickname) < 9) NOT VALID"],
            ["ALTER TABLE users VALIDATE CONSTRAINT short"],
        ])
    func allowed(statements: [String]) { #expect(AdditiveSQL.problem(of: statements) == nil) }

    @Test(
        "These statements stop the version before, or hold a lock for long",
        arguments: [
            ["ALTER TABLE users DROP COLUMN status"], ["ALTER TABLE users RENAME COLUMN status TO state"],
            ["ALTER TABLE users ALTER COLUMN login_epoch TYPE INTEGER"],
            ["ALTER TABLE users ALTER COLUMN external_id SET NOT NULL"],
            ["ALTER TABLE users ADD COLUMN visits BIGINT NOT NULL"], ["DROP TABLE users"],
            ["UPDATE users SET login_epoch = 0"], ["CREATE INDEX users_by_status ON users (app_id, status)"],
            ["CREATE UNIQUE INDEX one ON users(app_id)"], ["INSERT INTO users SELECT * FROM others"],
            ["ALTER TABLE users ADD CONSTRAINT short CHECK (length(nickname) < 9)"],
            ["ALTER TABLE users ADD COLUMN a TEXT", "ALTER TABLE users VALIDATE CONSTRAINT short"],
            ["LOCK TABLE users"], ["CREATE TABLE a (n BIGINT)", "create index u on\n users (app_id)"],
        ])
    func forbidden(statements: [String]) { #expect(AdditiveSQL.problem(of: statements) != nil) }
}
