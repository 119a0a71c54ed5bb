import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("A user's sessions in the management API")
struct UserSessionTests {
    private static let phone = "2b1f0c1e-0000-4000-8000-000000000001"

    /// A user with sessions on some devices, oldest first.
    private struct Subject {
        let world: EdgeWorld
        let headers: HTTPFields
        let user: User
        var sessions: [Session] = []

        var path: String { "/v2/session/apps/testapp/users/\(user.id)/sessions" }

        init(_ devices: [Device], in world: EdgeWorld, email: String = "ada@example.com") async throws {
            self.world = world
            headers = try await world.operatorHeaders()
            let app = try TestApp.id()
            user = try await world.service.users.create(
                app: app, identifiers: [CanonicalIdentifier(type: "email_address", value: email)])
            for device in devices {
                world.clock.advance(by: .seconds(1))
                let now = world.clock.timestamp
                let session = Session(
                    id: world.service.environment.newID("ses"), appID: app, userID: user.id, keyThumbprint: nil,
                    device: device, createdAt: now, idleExpiresAt: now + 3600, absoluteExpiresAt: now + 3600)
                sessions.append(session)
                _ = try await world.service.store.perform(
                    StartSession(
                        session: session, challengeID: "challenge of \(session.id)", challengeEpoch: user.loginEpoch,
                        challengeExpiresAt: now + 60, proof: nil, previousSessionID: nil, maximumSessions: 100,
                        now: now,
                        events: EventFactory(appID: app, environment: world.service.environment)))
            }
        }

        /// The ids that a call lists, and the other members of its response.
        func list(_ query: String = "") async throws -> (ids: [String], total: JSONValue?, next: String?) {
            let response = try await world.call(.get, path + query, headers)
            #expect(response.status == 200, "\(query): \(response.text)")
            let found: [JSONValue] = if case .array(let found)? = response.members["sessions"] { found } else { [] }
            let ids = found.compactMap { if case .object(let each) = $0 { each["id"]?.stringValue } else { nil } }
            return (ids, response.members["total"], response.members["next"]?.stringValue)
        }

        func end(_ json: String?) async throws -> EdgeResponse {
            try await world.call(.post, path + "/invalidate", headers, json: json)
        }
    }

    @Test("Sessions are filtered by device, kind of device and country, also on later pages")
    func filters() async throws {
        let devices = [
            Device(id: Self.phone, type: "mobile", countryCode: "FR"), Device(type: "desktop", countryCode: "FR"),
            Device(id: Self.phone, type: "mobile", countryCode: "DE"), Device(),
        ]
        let subject = try await Subject(devices, in: try await EdgeWorld())
        let ids = subject.sessions.map(\.id)
        for (query, expected) in [
            ("", [3, 2, 1, 0]), ("?device_id=\(Self.phone.uppercased())", [2, 0]), ("?device_type=desktop", [1]),
            ("?device_type=unknown", [3]), ("?country_code=FR", [1, 0]), ("?country_code=FR&device_type=mobile", [0]),
            ("?country_code=DE&device_type=desktop", []),
        ] {
            let found = try await subject.list(query)
            #expect(found.ids == expected.map { ids[$0] } && found.total == .int(Int64(expected.count)), "\(query)")
        }
        let first = try await subject.list("?country_code=FR&limit=1")
        #expect(first.ids == [ids[1]])
        let second = try await subject.list("?country_code=FR&limit=1&cursor=" + (try #require(first.next)))
        #expect(second.ids == [ids[0]] && second.next == nil)
    }

    @Test(
        "A filter that no session can fit is 400 and names the parameter",
        arguments: [
            "device_id=2b1f", "device_id=", "device_type=phone", "device_type=", "country_code=fr", "country_code=FRA",
            "country_code=", "device_model=iPhone",
        ])
    func invalid(_ query: String) async throws {
        let subject = try await Subject([Device()], in: try await EdgeWorld())
        let response = try await subject.world.call(.get, subject.path + "?" + query, subject.headers)
        #expect(response.status == 400)
        #expect(response.members["field"]?.stringValue == query.split(separator: "=")[0].description)
    }

    @Test("All sessions but one end, each with its event")
    func except() async throws {
        let subject = try await Subject([Device(), Device(), Device()], in: try await EdgeWorld())
        let kept = subject.sessions[1].id
        let ended = try await subject.end(#"{"except": "\#(kept)"}"#)
        #expect(ended.status == 200 && ended.members == ["revoked": .int(2)])
        #expect(try await subject.list().ids == [kept])
        let events = try await subject.world.service.store.events(app: try TestApp.id(), limit: 10, offset: 0)
        let revoked = events.filter { $0.name == .sessionRevoked }
        #expect(Set(revoked.compactMap { $0.data["session_id"]?.stringValue }).count == 2)
        #expect(revoked.allSatisfy { $0.data["reason"] == "revoked_by_operator" && $0.context.actor?.name == "test" })
        #expect(try await subject.end(nil).members == ["revoked": .int(1)])
        #expect(try await subject.list().ids.isEmpty)
    }

    @Test("If the session that is to stay is not a live one of the user, no session ends")
    func exceptUnknown() async throws {
        let world = try await EdgeWorld()
        let subject = try await Subject([Device(), Device(), Device()], in: world)
        let other = try await Subject([Device()], in: world, email: "bob@example.com")
        let ended = subject.sessions[0].id
        _ = try await world.call(.delete, subject.path + "/" + ended, subject.headers)
        for id in [other.sessions[0].id, ended, "ses_none", ""] {
            let refused = try await subject.end(#"{"except": "\#(id)"}"#)
            #expect(refused.status == 404 && refused.message == "the user has no such session", "\(id)")
        }
        for body in [#"{"except": null}"#, #"{"except": 1}"#, #"{"exept": "x"}"#, "[]"] {
            #expect(try await subject.end(body).status == 400, "\(body)")
        }
        #expect(try await subject.list().ids.count == 2)
        #expect(try await other.list().ids.count == 1)
    }
}
