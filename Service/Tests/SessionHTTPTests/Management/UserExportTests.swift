import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("Export of a user")
struct UserExportTests {
    private static let users = "/v2/session/apps/testapp/users"

    private func user(in world: EdgeWorld, _ headers: HTTPFields, more: String = "") async throws -> String {
        let created = try await world.call(
            .post, Self.users, headers,
            json: #"{"identifiers": [{"type": "email_address", "value": "ada@example.com"}]\#(more)}"#)
        return try #require(created.members["id"]?.stringValue)
    }

    @Test("Every kind of data is in the file, all events of several pages included, and no secret")
    func complete() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let id = try await user(
            in: world, headers,
            more:
                #", "password": "staple of the better kind", "profile": {"list": "\"events\":[]"}, "external_id": "7""#)
        let app = try TestApp.id()
        let factory = EventFactory(appID: app, environment: world.service.environment)
        for _ in 0..<11 {
            try await world.service.store.perform(
                AppendEvents((0..<100).map { _ in factory.make(.profileUpdated, ["user_id": .string(id)]) }))
        }
        let now = world.clock.timestamp
        _ = try await world.service.store.perform(
            CountStepUp(user: id, app: app, limit: RateLimit(limit: 9, window: 60), now: now))
        _ = try await world.service.store.perform(
            CountStepUp(user: "usr_other", app: app, limit: RateLimit(limit: 9, window: 60), now: now))
        let file = try await world.call(.get, Self.users + "/\(id)/export", headers)
        #expect(file.status == 200 && file.header("content-type") == "application/json")
        #expect(
            Set(file.members.keys)
                == ["events", "exported_at", "grants", "held_identifiers", "limits", "passkeys", "sessions", "user"])
        let shown = try await world.call(.get, Self.users + "/\(id)", headers)
        #expect(file.members["user"] == .object(shown.members))
        #expect(
            file.members["limits"]
                == .array([
                    .object([
                        "counter": .string("step-up/" + id), "count": .int(1),
                        "resets_at": .string((now + 60).rfc3339),
                    ])
                ]))
        guard case .array(let events)? = file.members["events"] else { return #expect(Bool(false), "no events") }
        let names = events.compactMap { if case .object(let event) = $0 { event["name"]?.stringValue } else { nil } }
        #expect(
            names == ["management.user.exported"] + Array(repeating: "user.profile.updated", count: 1100) + [
                "user.created"
            ])
        #expect(!file.text.contains("argon2") && !file.text.contains("staple"))
    }

    @Test("A user that does not exist has no file, and no event says that it had")
    func unknown() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        #expect(try await world.call(.get, Self.users + "/usr_none/export", headers).status == 404)
        let events = try await world.service.store.events(app: try TestApp.id(), limit: 10, offset: 0)
        #expect(events.allSatisfy { $0.name != .userExported })
    }
}
