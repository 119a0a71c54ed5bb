internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL

@Suite("Causes of failures")
struct FailureCauseTests {
    @Test("A caller whose values cannot be stored gets an error, and the store does not count as failing")
    func caller() async throws {
        let health = StoreHealth(uptime: { 0 })
        let store = try PostgresStore.open(PostgresLocation(TestServer.emptySchema()), health: health)
        let app = try #require(AppID("contra1"))
        await #expect(throws: StoreError.self) { try await store.user(externalID: "a\u{0}b", app: app) }
        #expect(health.failures == 1)
        #expect(!health.isFailing)
        await store.close()
    }

    @Test(
        "Only states of values and constraints are of the caller",
        arguments: [("22021", true), ("23505", true), ("53100", false), ("XX000", false)])
    func states(state: String, isOfCaller: Bool) {
        #expect(PostgresFailure(state: state, message: "", of: nil).isOfCaller == isOfCaller)
    }
}
