import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@Suite("Migration from an earlier system", .eachStore)
struct MigrationStory {
    private static let hook = "https://old.example.com/validate"

    private func world(answering json: String, status: Int = 200) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        world.operatorEndpoints.serve(Self.hook, json: json, status: status)
        let config = try await world.manage(
            "/config/migration", json: #"{"session_validation_url": "\#(Self.hook)"}"#)
        try #require(config.status == 201)
        return world
    }

    private static let ada = """
        {"user": {"identifiers": [{"type": "email_address", "value": "ada@example.com"}],
            "profile": {"plan": "gold"}, "external_id": "old-7"}}
        """

    @Test("An old credential becomes a session, and the next one is the same user's")
    func wholeStory() async throws {
        let world = try await world(answering: Self.ada)
        let first = try await world.client().migrate(MigrateOptions(token: "old-token"))
        let second = try await world.client().migrate(MigrateOptions(token: "another-old-token"))
        #expect(first.profile.userID == second.profile.userID)
        let user = try await world.service.users.user(try #require(first.profile.userID), app: world.appID)
        #expect(user.externalID == "old-7")
        #expect(user.profile == ["plan": "gold"])
        #expect(world.operatorEndpoints.requests.first?.body == Data(#"{"token":"old-token"}"#.utf8))
    }

    // Proves: E4
    @Test("A migration that is killed continues at the next launch, also with a credential that is valid once")
    func killed() async throws {
        let world = try await world(answering: Self.ada)
        let (store, faults) = (PreludeInMemoryCredentialStore(), TestService.Faults())
        let client = try world.client(store: store, faults: faults)
        faults.inject(.dropAnswer, on: .finalizeLogin, times: 2)
        await #expect(throws: PreludeSessionError.self) { try await client.migrate(MigrateOptions(token: "old-token")) }
        world.operatorEndpoints.serve(Self.hook, json: "{}", status: 401)
        let relaunched = try world.client(store: store, faults: faults)
        #expect(await relaunched.reload() == .signedOut(nil))
        _ = try await relaunched.migrate(MigrateOptions(token: "old-token"))
        #expect(try await relaunched.listSessions().total == 1)
    }

    @Test("An existing user with one of the identifiers is signed in")
    func knownUser() async throws {
        let world = try await world(answering: Self.ada)
        let here = try await world.signedIn()
        let migrated = try await world.client().migrate(MigrateOptions(token: "old-token"))
        #expect(migrated.profile.userID == (await here.profile?.userID))
    }

    @Test("A credential that the operator's backend rejects is rejected")
    func refused() async throws {
        let world = try await world(answering: "{}", status: 401)
        await #expect { try await world.client().migrate(MigrateOptions(token: "stolen")) } throws: {
            isUnauthorized($0)
        }
    }

    @Test(
        "An invalid response of the operator's backend rejects the login and records the reason",
        arguments: [
            ("{}", 200, "response_decode_failed"), (#"{"user": {"identifiers": []}}"#, 200, "invalid_response"),
            ("{}", 500, "invalid_status_code"), ("{}", 302, "invalid_status_code"),
        ])
    func nonsense(json: String, status: Int, reason: String) async throws {
        let world = try await world(answering: json, status: status)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await world.client().migrate(MigrateOptions(token: "old-token"))
        }
        guard case .forbidden = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let event = try #require(try await world.service.store.events(app: world.appID, limit: 1, offset: 0).first)
        #expect(event.name == .migrationHookFailed && event.data["reason"] == .string(reason))
    }
}
