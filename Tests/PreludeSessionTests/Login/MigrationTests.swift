import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("Migration from another system")
struct MigrationTests {
    private let options = MigrateOptions(token: "old-credential")

    private struct Signals: PreludeSignalsDispatcher {
        func dispatch() async throws -> String? { "dispatch-1" }
    }

    private func signedOut() async throws -> ClientFixture { try await ClientFixture(signedIn: false) }

    @Test("A migration exchanges the credential with PKCE and signs in")
    func exchange() async throws {
        let fixture = try await signedOut()
        var configuration = PreludeSessionClient.Configuration()
        configuration.signalsDispatcher = Signals()
        configuration.credentialStore = fixture.store
        configuration.transport = fixture.transport
        configuration.environment = SDKEnvironment(
            now: { Date(timeIntervalSince1970: TestClock.start) },
            randomBytes: { [UInt8](repeating: 0, count: $0) })
        let client = try PreludeSessionClient(configuration: configuration)
        await fixture.transport.answer("/migration", ClientFixture.next("challenge"))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        let user = try await client.migrate(options)
        #expect(user.profile.sessionID == "ses_1")
        let exchange = try #require(await fixture.transport.requests("/migration").first)
        // SHA-256 of the verifier below (RFC 7636 §4.2), computed without the SDK's code.
        #expect(
            exchange.body == [
                "token": .string("old-credential"),
                "code_challenge": .string("DwBzhbb51LfusnSGBa_hqYSgo7-j8BTQnip4TOnlzRo"),
                "dispatch_id": .string("dispatch-1"),
            ])
        #expect(exchange.headers["dpop"] == nil)
        #expect(exchange.headers["authorization"] == nil)
        let finalize = try #require(await fixture.transport.requests("/login/finalize").first)
        #expect(
            finalize.body == [
                "challenge_token": .string("challenge"),
                "code_verifier": .string(String(repeating: "A", count: 43)),
            ])
        #expect(finalize.proof != nil)
        #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    }

    @Test("Callers with the same credential share one exchange and one result")
    func coalesced() async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/migration", .held(gate, ClientFixture.next("challenge")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        let options = options
        let callers = (0..<20).map { _ in Task { try await client.migrate(options).accessToken } }
        await fixture.transport.arrival(of: "/migration")
        for _ in 0..<200 { await Task.yield() }
        await gate.open()
        var tokens: Set<String> = []
        for caller in callers { tokens.insert(try await caller.value) }
        #expect(tokens.count == 1)
        #expect(await fixture.transport.sent.map(\.path) == ["/v1/session/migration", "/v1/session/login/finalize"])
    }

    @Test("A cancelled caller does not cancel the login of the others")
    func cancelledCaller() async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/migration", .held(gate, ClientFixture.next("challenge")))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1))
        let options = options
        let impatient = Task { try await client.migrate(options) }
        await fixture.transport.arrival(of: "/migration")
        let patient = Task { try await client.migrate(options) }
        for _ in 0..<100 { await Task.yield() }
        impatient.cancel()
        await gate.open()
        #expect(try await patient.value.profile.sessionID == "ses_1")
    }

    @Test("Another credential is a separate login, and the login that comes too late is dropped")
    func otherToken() async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer(
            "/migration", .held(gate, ClientFixture.next("one")), ClientFixture.next("other"))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1, session: "ses_2"))
        let options = options
        let one = Task { try await client.migrate(options) }
        await fixture.transport.arrival(of: "/migration")
        let other = try await client.migrate(MigrateOptions(token: "another-credential"))
        #expect(other.profile.sessionID == "ses_2")
        await gate.open()
        #expect(try await failure { _ = try await one.value } == "unauthorized")
        #expect(await client.sessionID == "ses_2")
        #expect(
            await fixture.transport.requests("/migration").map { $0.text("token") } == [
                "old-credential", "another-credential",
            ])
        #expect(await fixture.transport.count("/login/finalize") == 1)
    }

    @Test("A migration that a logout overtook signs no user in")
    func logoutMeanwhile() async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        let gate = Gate()
        await fixture.transport.answer("/migration", .held(gate, ClientFixture.next("challenge")))
        let options = options
        let migration = Task { try await client.migrate(options) }
        await fixture.transport.arrival(of: "/migration")
        try await client.logoutAndRevoke()
        await gate.open()
        #expect(try await failure { _ = try await migration.value } == "unauthorized")
        #expect(try await fixture.stored() == nil)
        #expect(await fixture.transport.count("/login/finalize") == 0)
    }

    @Test("After an exchange that went offline, the same credential continues from there")
    func resume() async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        await fixture.transport.answer("/migration", ClientFixture.next("challenge"))
        await fixture.transport.answer("/login/finalize", .offline, .offline, fixture.refreshed(1))
        #expect(try await failure { _ = try await client.migrate(options) } == "network")
        _ = try await client.migrate(options)
        #expect(await fixture.transport.count("/migration") == 1)
        let sent = await fixture.transport.requests("/login/finalize")
        #expect(sent[0].body == sent[1].body)
    }

    @Test(
        "A credential is exchanged again when its challenge is void",
        arguments: [(409, "token_reused"), (401, "expired_challenge_token"), (401, "invalid_challenge_token")])
    func startOver(status: Int, code: String) async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        await fixture.transport.answer("/migration", ClientFixture.next("one"), ClientFixture.next("two"))
        await fixture.transport.answer(
            "/login/finalize", .offline, .offline, .errorResponse(status, code), fixture.refreshed(1))
        #expect(try await failure { _ = try await client.migrate(options) } == "network")
        _ = try await client.migrate(options)
        let redeemed = await fixture.transport.requests("/login/finalize").map { $0.text("challenge_token") }
        #expect(redeemed == ["one", "one", "one", "two"])
    }

    @Test("A later migration with the same credential is a separate login")
    func again() async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        await fixture.transport.answer("/migration", ClientFixture.next("one"), ClientFixture.next("two"))
        await fixture.transport.answer("/login/finalize", fixture.refreshed(1), fixture.refreshed(2, session: "ses_2"))
        _ = try await client.migrate(options)
        _ = try await client.migrate(options)
        #expect(await client.sessionID == "ses_2")
        #expect(await fixture.transport.count("/migration") == 2)
    }

    @Test(
        "A rejected credential throws the server's error",
        arguments: [(401, "unauthorized", "unauthorized"), (403, "not_configured", "forbidden")])
    func refused(status: Int, code: String, expected: String) async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        await fixture.transport.answer("/migration", .errorResponse(status, code))
        #expect(try await failure { _ = try await client.migrate(options) } == expected)
    }

    @Test("A blank credential is rejected before any request", arguments: ["", "\t"])
    func blank(token: String) async throws {
        let fixture = try await signedOut()
        let client = try fixture.client()
        let options = MigrateOptions(token: token)
        #expect(try await failure { _ = try await client.migrate(options) } == "invalidConfiguration")
        #expect(await fixture.transport.sent.isEmpty)
    }
}
