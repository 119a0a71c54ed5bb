import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("Pages of the management API")
struct ListTests {
    private static let app = "/v2/session/apps/testapp"

    private func create(_ count: Int, in world: EdgeWorld, _ headers: HTTPFields) async throws {
        for index in 0..<count {
            let created = try await world.call(
                .post, Self.app + "/users", headers,
                json: #"{"identifiers": [{"type": "email_address", "value": "u\#(index)@example.com"}]}"#)
            #expect(created.status == 201)
            world.clock.advance(by: .seconds(1))
        }
    }

    /// The ids of all pages, and the members of each page that are not the list.
    private func pages(
        _ path: String, _ list: String, in world: EdgeWorld, _ headers: HTTPFields
    ) async throws -> (ids: [String], members: [Set<String>]) {
        var (ids, members, cursor): ([String], [Set<String>], String?) = ([], [], nil)
        repeat {
            let response = try await world.call(
                .get, path + "limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""), headers)
            #expect(response.status == 200, "\(response.text)")
            guard case .array(let elements)? = response.members[list] else { break }
            for case .object(let element) in elements { ids += [element["id"]?.stringValue ?? ""] }
            members.append(Set(response.members.keys).subtracting([list]))
            cursor = response.members["next"]?.stringValue
        } while cursor != nil && members.count < 10
        return (ids, members)
    }

    @Test("Users and events are read page by page with the cursor of each response, until a response has none")
    func cursors() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        try await create(5, in: world, headers)
        let users = try await pages(Self.app + "/users?", "users", in: world, headers)
        #expect(Set(users.ids).count == 5 && users.ids == users.ids.sorted(by: >))
        #expect(users.members == [["total", "limit", "offset", "next"], ["limit", "next"], ["limit"]])
        let active = try await pages(Self.app + "/users?status=active&", "users", in: world, headers)
        #expect(active.ids == users.ids)
        let events = try await pages(Self.app + "/events?name=user.created&", "events", in: world, headers)
        #expect(Set(events.ids).count == 5)
        #expect(events.members == [["limit", "next"], ["limit", "next"], ["limit"]])
    }

    @Test("Deliveries of a webhook are read page by page with the cursor of each response")
    func deliveries() async throws {
        let (world, app) = (try await EdgeWorld(), try TestApp.id())
        let headers = try await world.operatorHeaders()
        world.operatorEndpoints.serve("https://b.example/") { request throws(EgressError) in
            let challenge = request.url.split(separator: "challenge=").last?.prefix { $0.isNumber } ?? ""
            return EgressAnswer(status: 200, body: Data(#"{"challenge": \#(challenge)}"#.utf8))
        }
        let webhook = try await world.service.webhooks.create(
            url: "https://b.example/", events: ["user.created"], app: app)
        _ = try await world.service.webhooks.activate(webhook.id, app: app)
        try await create(5, in: world, headers)
        let path = Self.app + "/webhooks/\(webhook.id)/deliveries"
        let found = try await pages(path + "?", "deliveries", in: world, headers)
        #expect(found.members == [["limit", "next"], ["limit", "next"], ["limit"]])
        let all = try await world.service.webhooks.deliveries(of: webhook.id, app: app, limit: 100, offset: 0)
        #expect(all.count == 5)
        let second = try await world.call(.get, path + "?limit=2&cursor=\(all[1].event.id)", headers)
        guard case .array(let deliveries)? = second.members["deliveries"],
            case .object(let first)? = deliveries.first, case .object(let event)? = first["event"]
        else { return #expect(Bool(false), "\(second.text)") }
        #expect(event["id"]?.stringValue == all[2].event.id && second.members["next"]?.stringValue == all[3].event.id)
        for query in ["cursor=evt_none", "cursor=", "cursor=\(all[0].event.id)&offset=1"] {
            let refused = try await world.call(.get, path + "?" + query, headers)
            #expect(refused.status == 400 && refused.message?.hasPrefix("cursor ") == true, "\(query)")
        }
    }

    @Test("A user that is deleted between two pages does not change the next one")
    func deletion() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        try await create(4, in: world, headers)
        let all = try await pages(Self.app + "/users?", "users", in: world, headers).ids
        let first = try await world.call(.get, Self.app + "/users?limit=2", headers)
        let cursor = try #require(first.members["next"]?.stringValue)
        #expect(try await world.call(.delete, Self.app + "/users/\(all[1])", headers).status == 204)
        let second = try await world.call(.get, Self.app + "/users?limit=2&cursor=\(cursor)", headers)
        let users: [JSONValue] = if case .array(let users)? = second.members["users"] { users } else { [] }
        let ids = users.compactMap { if case .object(let user) = $0 { user["id"]?.stringValue } else { nil } }
        #expect(ids == Array(all[2...]))
    }

    @Test(
        "A cursor of no response, and one together with an offset, is rejected by name",
        arguments: ["/users", "/users/{user}/sessions", "/events"])
    func invalid(_ path: String) async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        try await create(1, in: world, headers)
        let user = try await pages(Self.app + "/users?", "users", in: world, headers).ids[0]
        let path = Self.app + path.replacing("{user}", with: user)
        for query in ["cursor=", "cursor=!", "cursor=MTIz", "cursor=MC5h&offset=1"] {
            let response = try await world.call(.get, path + "?" + query, headers)
            #expect(
                response.status == 400 && response.message?.hasPrefix("cursor ") == true, "\(query) \(response.text)")
        }
    }

    @Test("A cursor is the text of a place, and every place has one")
    func text() {
        let place = ListPlace(time: Timestamp(milliseconds: 1_893_456_000_123), id: "usr_01jd7w3k2m9z8x7c6v5b4n3m2a")
        #expect(ListCursor.place(ListCursor.text(place)) == place)
        #expect(ListCursor.place(String(repeating: "A", count: 129)) == nil)
    }

    @Test("An error of the management API names the request, and the member that it is about")
    func errors() async throws {
        let world = try await EdgeWorld.shared.value
        let headers = try await world.operatorHeaders()
        let refused = try await world.call(.get, Self.app + "/users?status=asleep", headers)
        #expect(
            refused.members == [
                "code": "bad_request", "status": .int(400), "field": "status",
                "message": "status must be active, inactive or suspended",
                "request_id": .string(try #require(refused.header("x-request-id"))),
            ])
    }
}
