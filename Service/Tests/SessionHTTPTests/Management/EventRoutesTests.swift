import HTTPTypes
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Events in the management API")
struct EventRoutesTests {
    private static let path = "/v2/session/apps/testapp/events"

    @Test(
        "An invalid filter is rejected with the name of the parameter",
        arguments: [
            ("name=", "name "), ("name=Login", "name "), ("name=login*", "name "), ("user_id=", "user_id "),
            ("user_id=a'b", "user_id "), ("actor_id=", "actor_id "), ("actor_id=a%20b", "actor_id "),
            ("actor=mk_1", "actor "), ("before=%00", "before "), ("before=evt_unknown", "before "),
            ("from=yesterday", "from "), ("from=2026-02-31T00:00:00Z", "from "), ("from=1", "from "),
            ("until=2026-01-01T12:00:00%2B01:00", "until "),
            ("from=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00Z", "until "),
        ])
    func invalid(query: String, field: String) async throws {
        let world = try await EdgeWorld.shared.value
        let response = try await world.call(.get, Self.path + "?" + query, try await world.operatorHeaders())
        #expect(response.status == 400 && response.code == "bad_request")
        #expect(response.message?.hasPrefix(field) == true, "\(response.text)")
    }

    @Test("A page far down the list is read with before", arguments: [(10_000, 200), (10_001, 400)])
    func offset(offset: Int, status: Int) async throws {
        let world = try await EdgeWorld.shared.value
        let headers = try await world.operatorHeaders()
        #expect(try await world.call(.get, Self.path + "?offset=\(offset)", headers).status == status)
        #expect(try await world.call(.get, Self.path + "?offset=\(offset)&name=user.*", headers).status == status)
    }

    // Proves: A1
    @Test("A change by an operator names the key, the address and the request")
    func actor() async throws {
        let proxies = [try #require(IPNetwork("10.0.0.0/8"))]
        let world = try await EdgeWorld(edge: EdgeOptions(trustedProxies: proxies))
        let (key, secret) = try await world.service.managementKeys.create(name: "backend", app: try TestApp.id())
        var headers: HTTPFields = [.authorization: "Bearer " + secret, .userAgent: "curl/8"]
        headers[try #require(HTTPField.Name("x-forwarded-for"))] = "203.0.113.7"
        let changed = try await world.call(
            .patch, "/v2/session/apps/testapp", headers, json: #"{"sign_up": false}"#, peer: "10.0.0.1")
        #expect(changed.status == 200)
        let listed = try await world.call(.get, Self.path + "?name=management.app.updated", headers)
        let events = try #require(listed.members["events"]?.arrayValue)
        #expect(events.count == 1)
        #expect(
            events.first?["context"]
                == .object([
                    "actor": .object(["type": "management_key", "id": .string(key.id), "name": "backend"]),
                    "ip": "203.0.113.7", "user_agent": "curl/8",
                    "request_id": changed.header("x-request-id").map(JSONValue.string) ?? .null,
                ]))
        #expect(
            events.first?["data"]
                == .object([
                    "changes": .object(["sign_up": .object(["before": .bool(true), "after": .bool(false)])])
                ]))
        #expect(!listed.text.contains(secret))
    }

    @Test("Lists are filtered by name, family, user, actor and time, and continue after an event")
    func filters() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        let created = try await world.call(
            .post, "/v2/session/apps/testapp/users", headers,
            json: #"{"identifiers": [{"type": "email_address", "value": "ada@example.com"}]}"#)
        let user = try #require(created.members["user"]?["id"]?.stringValue ?? created.members["id"]?.stringValue)
        func names(_ query: String) async throws -> [String] {
            let response = try await world.call(.get, Self.path + "?" + query, headers)
            #expect(response.status == 200, "\(response.text)")
            return (response.members["events"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
        }
        let all = ["user.created", "management.key.created", "management.app.created"]
        #expect(try await names("") == all)
        #expect(try await names("user_id=\(user)") == ["user.created"])
        let key = try #require(try await world.service.managementKeys.all(of: try TestApp.id()).first?.id)
        #expect(try await names("actor_id=\(key)") == ["user.created"])
        #expect(try await names("actor_id=\(key)&name=management.*") == [])
        #expect(try await names("actor_id=mk_none") == [])
        #expect(try await names("name=user.created") == ["user.created"])
        #expect(try await names("name=management.*") == Array(all.dropFirst()))
        #expect(try await names("until=2000-01-01T00:00:00Z") == [])
        #expect(try await names("from=2000-01-01T00:00:00.5Z") == all)
        let page = try await world.call(.get, Self.path + "?limit=1", headers)
        let last = try #require(page.members["events"]?.arrayValue?.first?["id"]?.stringValue)
        #expect(try await names("before=\(last)") == Array(all.dropFirst()))
    }

    @Test("Events of keys for all apps are shown to keys for all apps only")
    func service() async throws {
        let world = try await EdgeWorld()
        let (all, one) = (try await world.operatorHeaders(), try await world.operatorHeaders(app: try TestApp.id()))
        let listed = try await world.call(.get, "/v2/session/events", all)
        let names = listed.members["events"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
        #expect(names == ["management.key.created"])
        #expect(try await world.call(.get, "/v2/session/events", one).status == 401)
        #expect(try await world.call(.get, "/v2/session/events").status == 401)
        #expect(try await !world.call(.get, Self.path, one).text.contains("\"app_id\""))
    }

    @Test(
        "How long events are kept is a setting of the app", arguments: [(0, 400), (1, 200), (3650, 200), (3651, 400)])
    func retention(days: Int, status: Int) async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        let response = try await world.call(
            .patch, "/v2/session/apps/testapp", headers, json: #"{"event_retention": \#(days)}"#)
        #expect(response.status == status)
        if status == 400 { #expect(response.message?.hasPrefix("event_retention ") == true) }
        let app = try await world.call(.get, "/v2/session/apps/testapp", headers)
        #expect(app.members["event_retention"] == .int(status == 200 ? Int64(days) : 30))
    }
}

extension JSONValue {
    fileprivate var arrayValue: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    fileprivate subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}
