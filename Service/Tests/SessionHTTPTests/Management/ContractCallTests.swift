import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

/// Calls of the hosted product's management API that configure or find what other calls do, too.
@Suite("Domains, CORS, lookups and development tokens")
struct ContractCallTests {
    private static let app = "/v2/session/apps/testapp"

    @Test("A domain is added and removed by its id or its name, and a repeated call has no effect")
    func domains() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let path = Self.app + "/domains"
        let added = try await world.call(.post, path, headers, json: #"{"domain": "Session.Example.com"}"#)
        #expect(added.status == 201 && added.members["domain"] == "session.example.com")
        let id = try #require(added.members["id"]?.stringValue)
        #expect(id.wholeMatch(of: /dom_[0-9a-z]{26}/) != nil)
        #expect(
            try await world.call(.post, path, headers, json: #"{"domain": "session.example.com"}"#).text == added.text)
        let listed = try await world.call(.get, path, headers)
        #expect(listed.members == ["domains": .array([.object(added.members)])])
        #expect(try await world.call(.get, Self.app, headers).members["domains"] == .array(["session.example.com"]))
        for name in [id, "session.example.com"] {
            #expect(try await world.call(.delete, path + "/" + name, headers).status == 204)
            #expect(try await world.call(.delete, path + "/" + name, headers).status == 404)
            _ = try await world.call(.post, path, headers, json: #"{"domain": "session.example.com"}"#)
        }
        let wrong = try await world.call(.post, path, headers, json: #"{"domain": "https://example.com"}"#)
        #expect(wrong.status == 400 && wrong.message?.hasPrefix("domain ") == true)
    }

    @Test("A member in the body of a call that has none is refused, and nothing happens")
    func noBody() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let mail = #"{"type": "email_address", "value": "ada@example.com"}"#
        let user = try await world.call(
            .post, Self.app + "/users", headers, json: #"{"identifiers": [\#(mail)]}"#)
        #expect(user.status == 201)
        let path = Self.app + "/users/" + (user.members["id"]?.stringValue ?? "")
        let refused = try await world.call(.delete, path, headers, json: #"{"dry_run": true}"#)
        #expect(refused.status == 400 && refused.message?.hasPrefix("dry_run ") == true, "\(refused.text)")
        #expect(try await world.call(.delete, path + "/limits", headers, json: #"{"all": true}"#).status == 400)
        #expect(try await world.call(.delete, path, headers, json: "[]").status == 400)
        for read in [path, Self.app + "/users", "/v2/session/apps", "/v2/session/events"] {
            let filtered = try await world.call(.get, read, headers, json: #"{"status": "suspended"}"#)
            #expect(filtered.status == 400 && filtered.message?.hasPrefix("status ") == true, "\(filtered.text)")
            #expect(try await world.call(.get, read, headers).status == 200)
        }
        var plain = headers
        plain[.contentType] = "text/plain"
        for body in ["status=suspended", String(repeating: " ", count: 70_000)] {
            let refused = try await world.call(.delete, path, plain, json: body)
            #expect(refused.status == 400 && refused.message == "body must be empty: this call has none")
        }
        #expect(try await world.call(.get, path, headers).status == 200)
        #expect(try await world.call(.delete, path, headers, json: "{}").status == 204)
        #expect(try await world.call(.get, path, headers).status == 404)
    }

    @Test("A key of one app can read domains, and cannot set them")
    func domainsOfOneApp() async throws {
        let world = try await EdgeWorld { $0.domains = ["session.example.com"] }
        let headers = try await world.operatorHeaders(app: try TestApp.id())
        let path = Self.app + "/domains"
        #expect(try await world.call(.get, path, headers).status == 200)
        #expect(try await world.call(.post, path, headers, json: #"{"domain": "a.example.com"}"#).status == 403)
        #expect(try await world.call(.delete, path + "/session.example.com", headers).status == 403)
    }

    // Proves: G4
    @Test("The service's own host of another app is no domain, however it is set, and nothing changes")
    func ownHosts() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let path = Self.app
        // Of an app that exists, and of one that may be created later.
        _ = try await world.service.apps.create(id: AppID("another"), name: "Other")
        for host in ["another.session.test", "notyet1.session.test", "ANOTHER.session.test"] {
            let name = host.lowercased()
            let reason = " must not contain \(name), which is the service's own host of the app \(name.prefix(7))"
            for (method, path, json, field) in [
                (HTTPRequest.Method.post, path + "/domains", #"{"domain": "\#(host)"}"#, "domain"),
                (.patch, path, #"{"name": "New", "domains": ["a.example.com", "\#(host)"]}"#, "domains"),
            ] {
                let refused = try await world.call(method, path, headers, json: json)
                #expect(refused.status == 400 && refused.members["field"]?.stringValue == field, "\(refused.text)")
                #expect(refused.message == field + reason)
            }
        }
        await #expect(throws: Refusal.self) {
            try await world.service.apps.create(id: nil, name: "New") { $0.domains = ["another.session.test"] }
        }
        let app = try await world.service.apps.app(try TestApp.id())
        #expect(app.domains.isEmpty && app.name != "New")
        // The host of the app itself, and names that belong to no app.
        for host in ["testapp.session.test", "login.session.test", "another.example.com"] {
            let added = try await world.call(.post, path + "/domains", headers, json: #"{"domain": "\#(host)"}"#)
            #expect(added.status == 201, "\(added.text)")
        }
    }

    @Test("Domains that an app has from before the rule stay when other settings are changed")
    func earlierOwnHost() async throws {
        let world = try await EdgeWorld()
        let app = try TestApp.id()
        _ = try await world.service.store.perform(UpdateApp(app) { $0.domains = ["another.session.test"] })
        let changed = try await world.call(
            .patch, Self.app, try await world.operatorHeaders(),
            json: #"{"domains": ["another.session.test", "a.example.com"]}"#)
        #expect(changed.status == 200, "\(changed.text)")
    }

    @Test("config/cors is the setting allowed_origins of the app")
    func cors() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let path = Self.app + "/config/cors"
        let set = try await world.call(.put, path, headers, json: #"{"allowed_origins": ["https://app.example.com"]}"#)
        #expect(set.status == 200)
        #expect(try await world.call(.get, path, headers).text == set.text)
        let app = try await world.call(.get, Self.app, headers)
        #expect(app.members["allowed_origins"] == .array(["https://app.example.com"]))
        for origin in [
            "*", "https://*.example.com", "https://a%00", "https://app.example.com/", "http://app.example.com",
        ] {
            let wrong = try await world.call(.put, path, headers, json: #"{"allowed_origins": ["\#(origin)"]}"#)
            #expect(wrong.status == 400 && wrong.message?.hasPrefix("allowed_origins ") == true)
        }
        #expect(try await world.call(.put, path, headers, json: "{}").status == 400)
    }

    private func user(_ world: EdgeWorld, _ address: String, externalID: String) async throws -> String {
        try await world.service.users.create(
            app: try TestApp.id(), identifiers: [try CanonicalIdentifier(type: "email_address", value: address)],
            externalID: externalID
        ).id
    }

    @Test("A lookup finds each user once by any name, and returns the names of no user")
    func lookup() async throws {
        let world = try await EdgeWorld()
        let headers = try await world.operatorHeaders()
        let ada = try await user(world, "Ada@example.com", externalID: "4711")
        world.clock.advance(by: .seconds(1))
        let bob = try await user(world, "bob@example.com", externalID: "4712")
        let found = try await world.call(
            .post, Self.app + "/users/batch_lookup", headers,
            json: """
                {"user_ids": ["\(ada)", "usr_x"], "external_ids": ["4711", "0"], "identifiers": [
                    {"type": "email_address", "value": "bob@example.com"},
                    {"type": "phone_number", "value": "+14155550100"}]}
                """)
        #expect(found.status == 200, "\(found.text)")
        let users: [JSONValue] = if case .array(let users)? = found.members["users"] { users } else { [] }
        let ids = users.compactMap { if case .object(let user) = $0 { user["id"]?.stringValue } else { nil } }
        #expect(ids == [bob, ada])
        #expect(
            found.members["not_found"]
                == .object([
                    "user_ids": .array(["usr_x"]), "external_ids": .array(["0"]),
                    "identifiers": .array([.object(["type": "phone_number", "value": "+14155550100"])]),
                ]))
    }

    @Test("A lookup names 1 to 100 users", arguments: [(0, 400), (1, 200), (100, 200), (101, 400)])
    func lookupLimit(count: Int, status: Int) async throws {
        let world = try await EdgeWorld.shared.value
        let ids = (0..<count).map { #""usr_\#($0)""# }.joined(separator: ",")
        let response = try await world.call(
            .post, Self.app + "/users/batch_lookup", try await world.operatorHeaders(),
            json: #"{"user_ids": [\#(ids)]}"#)
        #expect(response.status == status, "\(response.text)")
    }

    private static func claims(_ token: String?) throws -> [String: JSONValue] {
        let parts = try #require(token).split(separator: ".")
        return try TokenJSON.decode([String: JSONValue].self, from: try #require(Base64URL.decode(parts[1])))
    }

    // Proves: G5
    @Test("A development token is an access token of the user with registered scopes, and opens no session")
    func token() async throws {
        let world = try await EdgeWorld { app in
            app.developmentTokens = true
            app.scopes = ["orders:read"]
        }
        let headers = try await world.operatorHeaders()
        let ada = try await user(world, "ada@example.com", externalID: "4711")
        let issued = try await world.call(
            .post, Self.app + "/tokens", headers,
            json: #"{"user_id": "\#(ada)", "scopes": ["orders:read"], "lifetime": 86400}"#)
        #expect(issued.status == 201, "\(issued.text)")
        let claims = try Self.claims(issued.members["access_token"]?.stringValue)
        #expect(claims["sub"] == .string(ada) && claims["scope"] == "orders:read" && claims["aud"] == "testapp")
        #expect(claims["exp"] == issued.members["expires_at"])
        #expect(claims["exp"] == .int(world.clock.timestamp.seconds + 86_400))
        let bearer = "Bearer " + (issued.members["access_token"]?.stringValue ?? "")
        #expect(try await world.call(.get, "/v1/session/me/list", [.authorization: bearer]).status == 401)
    }

    // Proves: G5
    @Test(
        "A development token needs an active user, a registered scope, and at most a day",
        arguments: [
            (#""lifetime": 59"#, 400, "lifetime"), (#""lifetime": 86401"#, 400, "lifetime"),
            (#""scopes": ["orders:read", "x"]"#, 400, "scopes[1]"), (#""user_id": "usr_x""#, 404, "there"),
        ])
    func invalidToken(member: String, status: Int, field: String) async throws {
        let world = try await EdgeWorld { app in
            app.developmentTokens = true
            app.scopes = ["orders:read"]
        }
        let ada = try await user(world, "ada@example.com", externalID: "4711")
        let user = member.contains("user_id") ? "" : #""user_id": "\#(ada)", "#
        let response = try await world.call(
            .post, Self.app + "/tokens", try await world.operatorHeaders(), json: "{\(user)\(member)}")
        #expect(response.status == status && response.message?.hasPrefix(field) == true, "\(response.text)")
    }

    // Proves: G5
    @Test("An app that does not allow development tokens, or binds tokens to keys, gets none")
    func tokensOff() async throws {
        for (isOn, binding, status) in [(false, SessionPolicy.AccessTokenBinding.bearer, 403), (true, .dpop, 409)] {
            let world = try await EdgeWorld { app in
                app.developmentTokens = isOn
                app.sessions.accessTokenBinding = binding
            }
            let ada = try await user(world, "ada@example.com", externalID: "4711")
            let response = try await world.call(
                .post, Self.app + "/tokens", try await world.operatorHeaders(), json: #"{"user_id": "\#(ada)"}"#)
            #expect(response.status == status, "\(response.text)")
        }
    }
}
