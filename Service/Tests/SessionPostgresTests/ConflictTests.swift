internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Conflicts between transactions", .timeLimit(.minutes(1)))
struct ConflictTests {
    /// Serialization failure, deadlock, lock timeout (PostgreSQL documentation, appendix A).
    private static let states = ["40001", "40P01", "55P03"]

    @Test("These states are conflicts", arguments: states + ["23503"])
    func kinds(state: String) { #expect(PostgresFailure(state: state, message: "", of: nil).kind == .conflict) }

    @Test("No other one is", arguments: ["40002", "40003", "55006", "55000", "23505", "57014"])
    func others(state: String) { #expect(PostgresFailure(state: state, message: "", of: nil).kind != .conflict) }

    /// Runs an intent whose first writes fail. Returns the error, and how often the intent was tried.
    private func write(failures: Int, state: String) async throws -> (error: StoreError?, attempts: Int) {
        let url = try TestServer.emptySchema()
        let store = try PostgresStore.open(PostgresLocation(url), options: TestStores.options)
        let world = try ContractWorld(store: store)
        let connection = try TestServer.connect(to: url)
        // A rollback does not undo the count of a sequence.
        for sql in [
            "CREATE SEQUENCE attempts",
            """
            CREATE FUNCTION fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('attempts') <= \(failures) THEN RAISE EXCEPTION USING ERRCODE = '\(state)'; END IF;
                RETURN NEW;
            END $$
            """, "CREATE TRIGGER fail BEFORE INSERT ON proofs FOR EACH ROW EXECUTE FUNCTION fail()",
        ] {
            _ = try connection.run([Statement(sql)])
        }
        var error: StoreError?
        do {
            try await world.write(.reserveProof(world.proof("new"), app: world.app, now: world.now))
        } catch let failure as StoreError {
            error = failure
        }
        #expect(!store.health.isFailing, "the server works")
        await store.close()
        return (error, try connection.one("SELECT last_value FROM attempts"))
    }

    @Test("They are repeated, and no caller notices", arguments: states)
    func repeated(state: String) async throws {
        let (error, attempts) = try await write(failures: 3, state: state)
        #expect(error == nil)
        #expect(attempts == 4)
    }

    @Test("They are repeated a limited number of times", arguments: states)
    func limited(state: String) async throws {
        let (error, attempts) = try await write(failures: 100, state: state)
        #expect(state == "55P03" ? error == .locked : error?.reason.contains(state) == true)
        #expect(error?.isOfCaller == true, "the database works")
        #expect(attempts == GuardFailures.maximumAttempts)
    }

    @Test("Another error is not repeated")
    func rejected() async throws {
        let (error, attempts) = try await write(failures: 100, state: "22003")
        #expect(error?.reason.contains("22003") == true)
        #expect(attempts == 1)
    }
}
