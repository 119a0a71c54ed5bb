import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Management keys at the edge")
struct ManagementKeyTests {
    @Test(
        "A key of one app is valid for this app only, and reveals no other app",
        arguments: [
            ("/v2/session/apps/testapp", 200), ("/v2/session/apps/another", 401), ("/v2/session/apps/absent7", 401),
            ("/v2/session/apps/TESTAPP", 401), ("/v2/session/apps", 401),
        ])
    func keyOfOneApp(path: String, status: Int) async throws {
        let world = try await EdgeWorld()
        let another = try #require(AppID("another"))
        _ = try await world.service.apps.create(id: another, name: "Another") { _ in }
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        #expect(try await world.call(.get, path, headers).status == status)
    }

    @Test(
        "A key of all apps is valid for every app, and an unknown app is 404",
        arguments: [
            ("/v2/session/apps", 200), ("/v2/session/apps/testapp", 200), ("/v2/session/apps/absent7", 404),
            ("/v2/session/apps/no-id", 404),
        ])
    func keyOfAllApps(path: String, status: Int) async throws {
        let world = try await EdgeWorld.shared.value
        #expect(try await world.call(.get, path, try await world.operatorHeaders()).status == status)
    }

    @Test("A key of one app cannot create apps")
    func create() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        #expect(try await world.call(.post, "/v2/session/apps", headers, json: #"{"name":"New"}"#).status == 401)
        let all = try await world.operatorHeaders()
        #expect(try await world.call(.post, "/v2/session/apps", all, json: #"{"name":"New"}"#).status == 201)
    }

    @Test("Only a key of all apps may set domains", arguments: [true, false])
    func domains(isForAllApps: Bool) async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders(app: isForAllApps ? nil : try TestApp.id())
        let response = try await world.call(
            .patch, "/v2/session/apps/testapp", headers, json: #"{"domains":["login.customer.example"]}"#)
        #expect(response.status == (isForAllApps ? 200 : 403))
    }

    @Test("A management key is accepted with the scheme Bearer only")
    func scheme() async throws {
        let world = try await EdgeWorld()
        let secret = try await world.service.managementKeys.create(name: "test", app: nil).secret
        for value in ["DPoP " + secret, secret, "Basic " + secret] {
            #expect(try await world.call(.get, "/v2/session/apps", [.authorization: value]).status == 401)
        }
    }

    // Proves: G2
    @Test("A key is invalid from its expiry on")
    func expiry() async throws {
        let world = try await EdgeWorld()
        let expiry = world.clock.timestamp + 60
        let secret = try await world.service.managementKeys.create(name: "test", app: nil, expiresAt: expiry).secret
        let headers: HTTPFields = [.authorization: "Bearer " + secret]
        #expect(try await world.call(.get, "/v2/session/apps", headers).status == 200)
        world.clock.advance(by: .seconds(60))
        #expect(try await world.call(.get, "/v2/session/apps", headers).status == 401)
    }

    @Test("A created key has role, creator and expiry, and no more rights than its creator")
    func created() async throws {
        let world = try await EdgeWorld()
        let (keys, app, path) = (world.service.managementKeys, try TestApp.id(), "/v2/session/apps/testapp/keys")
        let expiry = world.clock.timestamp + 3600
        let (creator, secret) = try await keys.create(name: "creator", app: app, expiresAt: expiry)
        let headers: HTTPFields = [.authorization: "Bearer " + secret]
        let made = try await world.call(.post, path, headers, json: #"{"name":"reader","role":"read"}"#)
        #expect(made.status == 201)
        #expect(made.members["role"] == "read" && made.members["created_by"]?.stringValue == creator.id)
        #expect(made.members["expires_at"]?.stringValue == expiry.rfc3339, "it expires with its creator")
        let rows: [(json: String, status: Int, message: String)] = [
            (
                #"{"name":"a","expires_at":"2099-01-01T00:00:00Z"}"#, 403,
                "a key cannot create a key that expires later than itself"
            ),
            (#"{"name":"a","expires_at":"2001-01-01T00:00:00Z"}"#, 400, "expires_at must be in the future"),
            (#"{"name":"a","expires_at":"tomorrow"}"#, 400, "expires_at must be a time such as 2027-01-01T12:00:00Z"),
            (#"{"name":"a","role":"admin"}"#, 400, "role must be read or write"),
        ]
        for (json, status, message) in rows {
            let response = try await world.call(.post, path, headers, json: json)
            #expect(response.status == status && response.message == message, "\(json)")
        }
        let elder = try await keys.create(name: "without expiry", app: app).key.id
        #expect(try await world.call(.post, path + "/\(elder)/rotate", headers).status == 403)
    }

    @Test("The 101st key of an app is rejected, and a revoked one makes room")
    func maximum() async throws {
        let world = try await EdgeWorld()
        let (keys, app, path) = (world.service.managementKeys, try TestApp.id(), "/v2/session/apps/testapp/keys")
        let all = try await world.operatorHeaders()
        var last = ""
        for _ in 0..<100 { last = try await keys.create(name: "key", app: app).key.id }
        let rejected = try await world.call(.post, path, all, json: #"{"name":"one more"}"#)
        #expect(rejected.status == 409 && rejected.code == "conflict")
        #expect(rejected.message == "an app has at most 100 management keys")
        #expect(try await world.call(.post, path + "/\(last)/rotate", all).status == 201)
        let listed = try await keys.all(of: app)
        #expect(try await world.call(.delete, path + "/\(listed[0].id)", all).status == 204)
        #expect(try await world.call(.post, path, all, json: #"{"name":"one more"}"#).status == 201)
    }

    @Test("Revoking a key revokes the keys that it created, but rotating it does not")
    func cascade() async throws {
        let world = try await EdgeWorld()
        let (app, path) = (try TestApp.id(), "/v2/session/apps/testapp/keys")
        let (parent, secret) = try await world.service.managementKeys.create(name: "parent", app: app)
        let made = try await world.call(
            .post, path, [.authorization: "Bearer " + secret], json: #"{"name":"child"}"#)
        let child: HTTPFields = [.authorization: "Bearer " + (made.members["key"]?.stringValue ?? "")]
        let all = try await world.operatorHeaders()
        let rotation = path + "/\(parent.id)/rotate"
        #expect(try await world.call(.post, rotation, all, json: #"{"expires_at": null}"#).status == 400)
        #expect(try await world.call(.get, path, [.authorization: "Bearer " + secret]).status == 200)
        let rotated = try await world.call(.post, rotation, all)
        #expect(rotated.status == 201)
        #expect(try await world.call(.get, path, [.authorization: "Bearer " + secret]).status == 401)
        #expect(try await world.call(.get, path, child).status == 200)
        let successor = try #require(rotated.members["id"]?.stringValue)
        #expect(try await world.call(.delete, path + "/" + successor, all).status == 204)
        #expect(try await world.call(.get, path, child).status == 401)
    }

    @Test("The last use of a key is listed, and stored by housekeeping and not by the call")
    func lastUse() async throws {
        let world = try await EdgeWorld()
        let (key, secret) = try await world.service.managementKeys.create(name: "test", app: try TestApp.id())
        let stored = { try await world.service.store.managementKeys().first { $0.id == key.id }?.lastUsedAt }
        let used = world.clock.timestamp
        let list = try await world.call(
            .get, "/v2/session/apps/testapp/keys", [.authorization: "Bearer " + secret])
        #expect(list.text.contains(#""last_used_at":"\#(used.rfc3339)""#))
        #expect(try await stored() == nil)
        try await world.service.managementKeys.recordUses()
        #expect(try await stored() == used)
    }

    // Proves: G1
    @Test("Wrong keys of one address are limited to 20 in 10 minutes, and a valid key never is")
    func wrongKeys() async throws {
        let world = try await EdgeWorld(edge: EdgeOptions())
        let right = try await world.operatorHeaders()
        let wrong = HTTPFields.of(("authorization", "Bearer psk_wrong"))
        func status(_ headers: HTTPFields, peer: String = "203.0.113.7") async throws -> EdgeResponse {
            try await world.call(.get, "/v2/session/apps/testapp", headers, peer: peer)
        }
        for _ in 0..<20 { #expect(try await status(wrong).status == 401) }
        for _ in 0..<2 {
            let limited = try await status(wrong)
            #expect(limited.status == 429 && limited.code == "rate_limited" && limited.header("retry-after") == "600")
        }
        #expect(try await status(right).status == 200)
        #expect(try await status([:]).status == 401)
        #expect(try await status(wrong, peer: "203.0.113.8").status == 401)
        world.clock.advance(by: .seconds(600))
        #expect(try await status(wrong).status == 401)
    }

    @Test("A management key gives no access to calls of signed-in users")
    func frontend() async throws {
        let world = try await EdgeWorld()
        let response = try await world.call(.get, "/v1/session/me/list", try await world.operatorHeaders())
        #expect(response.status == 401)
    }

    @Test("A name has no characters that change a terminal")
    func names() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        for name in ["a\u{1B}[2Jb", "a\nb", "a\u{9B}b", "a\u{202E}b", "a\u{2028}b", " ", ""] {
            let json = String(decoding: try TokenJSON.encode(JSONValue.object(["name": .string(name)])), as: UTF8.self)
            for (method, path) in [
                (HTTPRequest.Method.post, "/v2/session/apps"), (.patch, "/v2/session/apps/testapp"),
                (.post, "/v2/session/apps/testapp/keys"),
            ] {
                let response = try await world.call(method, path, headers, json: json)
                #expect(response.status == 400 && response.text.contains("name must have"), "\(path) \(json)")
            }
        }
    }

    @Test("A key with the role read does not see what proves a challenge to a webhook")
    func verificationToken() async throws {
        let world = try await EdgeWorld()
        world.operatorEndpoints.serve("https://hooks.example.com/") { request throws(EgressError) in
            let challenge = request.url.split(separator: "challenge=").last?.prefix { $0.isNumber } ?? ""
            return EgressAnswer(status: 200, body: Data(#"{"challenge": \#(challenge)}"#.utf8))
        }
        let path = "/v2/session/apps/testapp/webhooks"
        let created = try await world.call(
            .post, path, try await world.operatorHeaders(), json: #"{"url": "https://hooks.example.com/"}"#)
        let token = try #require(created.members["verification_token"]?.stringValue)
        let id = try #require(created.members["id"]?.stringValue)
        let reader = try await world.service.managementKeys.create(name: "reader", app: nil, role: .read).secret
        for path in [path, path + "/" + id] {
            let seen = try await world.call(.get, path, [.authorization: "Bearer " + reader])
            #expect(seen.status == 200 && seen.text.contains(id) && !seen.text.contains(token))
            let all = try await world.call(.get, path, try await world.operatorHeaders())
            #expect(all.text.contains(token))
        }
    }
}
