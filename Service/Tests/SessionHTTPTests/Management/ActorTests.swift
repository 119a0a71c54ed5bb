import Foundation
import HTTPTypes
import Hummingbird
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Actors of events")
struct ActorTests {
    private static let base = "/v2/session/apps"
    private static let app = base + "/testapp"
    private static let hook = "https://hooks.example.com/"
    private static let mail = #"{"type": "email_address", "value": "ada@example.com"}"#
    private static let phone = #"{"type": "phone_number", "value": "+14155550100"}"#

    /// One call with the events that it must write. `{…}` stands for the `id` of the response that an earlier call of that
    /// name got; `name` is the name of this one.
    private struct Call {
        let method: HTTPRequest.Method
        let path: String
        var json: String?
        let events: Set<String>
        var name: String?

        init(
            _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, _ events: Set<String>,
            as name: String? = nil
        ) {
            (self.method, self.path, self.json, self.events, self.name) = (method, path, json, events, name)
        }
    }

    /// In an order in which each succeeds.
    private static let calls: [Call] = {
        let updated: Set = ["management.app.updated"]
        let config = app + "/config/"
        let apps: [Call] = [
            Call(.post, base, #"{"name": "New"}"#, ["management.app.created"]),
            Call(.patch, app, #"{"sign_up": false}"#, updated),
            Call(.put, config + "cors", #"{"allowed_origins": ["https://app.example.com"]}"#, updated),
            Call(.post, app + "/domains", #"{"domain": "session.example.com"}"#, updated, as: "domain"),
            Call(.delete, app + "/domains/{domain}", nil, updated),
            Call(.put, config + "passkey", #"{"rp_id": "example.com"}"#, updated),
            Call(.put, config + "sessions", #"{"idle_lifetime": 86400}"#, updated),
            Call(.put, config + "limits", #"{"resend_delay": 31}"#, updated),
            Call(.post, config + "scopes", #"{"scope": "pay"}"#, updated),
            Call(.delete, config + "scopes", #"{"scope": "pay"}"#, updated),
            Call(
                .post, config + "stepup",
                #"{"jwks_url": "\#(hook)", "step_keys": ["a"], "allowed_scopes": []}"#, updated),
            Call(
                .put, config + "stepup",
                #"{"jwks_url": "\#(hook)", "step_keys": ["b"], "allowed_scopes": []}"#, updated),
            Call(.post, config + "claims", #"{"mapping": {"a": 1}}"#, updated),
            Call(.put, config + "claims", #"{"mapping": {"a": 2}}"#, updated),
            Call(.post, config + "migration", #"{"session_validation_url": "\#(hook)1"}"#, updated),
            Call(.put, config + "migration", #"{"session_validation_url": "\#(hook)2"}"#, updated),
            Call(.post, config + "login/password", #"{"enabled": true}"#, updated),
            Call(.put, config + "login/password", #"{"enabled": false}"#, updated),
            Call(.post, config + "login/otp", #"{"channel_type": "email"}"#, updated, as: "login"),
            Call(.put, config + "login/otp/{login}", #"{"channel_type": "email", "code_size": 8}"#, updated),
            Call(.delete, config + "login/otp/{login}", nil, updated),
        ]
        let template = "templates/sms/sign_in/de"
        let messages: [Call] = [
            Call(.put, config + "delivery", #"{"sms": [{"type": "webhook", "url": "\#(hook)"}]}"#, updated),
            Call(.delete, config + "delivery", nil, updated),
            Call(.put, config + "templates", #"{"default_locale": "de"}"#, updated),
            Call(.put, config + template, #"{"text": "{{code}}"}"#, updated),
            Call(.post, config + "templates/preview", #"{"channel": "sms", "purpose": "sign_in"}"#, []),
            Call(.delete, config + template, nil, updated),
            Call(.delete, config + "templates", nil, updated),
            Call(.put, config + "notices", #"{"new_device": true}"#, updated),
        ]
        let keys: [Call] = [
            Call(.post, app + "/keys", #"{"name": "one"}"#, ["management.key.created"], as: "key"),
            Call(
                .post, app + "/keys/{key}/rotate", nil, ["management.key.created", "management.key.revoked"],
                as: "successor"),
            Call(.delete, app + "/keys/{successor}", nil, ["management.key.revoked"]),
            Call(.post, app + "/signing-keys/rotate", #"{"purpose": "access"}"#, ["signing_key.rotated"]),
        ]
        let webhooks: [Call] = [
            Call(.post, app + "/webhooks", #"{"url": "\#(hook)"}"#, ["management.webhook.created"], as: "hook"),
            Call(.post, app + "/webhooks/{hook}/activate", nil, ["management.webhook.activated"]),
            Call(.put, app + "/webhooks/{hook}", #"{"url": "\#(hook)3"}"#, ["management.webhook.updated"]),
            Call(.delete, app + "/webhooks/{hook}", nil, ["management.webhook.deleted"]),
        ]
        let user = app + "/users/{user}"
        let users: [Call] = [
            Call(.post, app + "/users", #"{"identifiers": [\#(mail)]}"#, ["user.created"], as: "user"),
            Call(.post, user + "/identifiers", phone, ["user.identifier.created"]),
            Call(.delete, user + "/identifiers", phone, ["user.identifier.deleted"]),
            Call(.delete, user + "/passkeys/{passkey}", nil, ["user.passkey.deleted"]),
            Call(.put, user + "/password", #"{"password": "staple of the better kind"}"#, ["user.password.updated"]),
            Call(.put, user + "/external_id", #"{"external_id": "4711"}"#, ["user.external_id.updated"]),
            Call(.post, app + "/users/batch_lookup", #"{"external_ids": ["4711"]}"#, []),
            Call(.patch, app, #"{"development_tokens": true}"#, ["management.app.updated"]),
            Call(.post, app + "/tokens", #"{"user_id": "{user}"}"#, ["management.token.created"]),
            Call(.patch, user + "/profile", #"{"profile": {"plan": "gold"}}"#, ["user.profile.updated"]),
            Call(.delete, user + "/limits", nil, ["user.limits.cleared"]),
            Call(.delete, app + "/limits?address=203.0.113.7", nil, ["user.limits.cleared"]),
            Call(.post, app + "/blocks", #"{"address": "203.0.113.7", "seconds": 60}"#, ["management.app.updated"]),
            Call(.delete, app + "/blocks?address=203.0.113.7", nil, ["management.app.updated"]),
            Call(.post, user + "/sessions/invalidate", #"{"except": "{session}"}"#, ["user.logins.voided"]),
            Call(.delete, user + "/sessions/{session}", nil, ["user.session.revoked"]),
            Call(.post, user + "/sessions/invalidate", nil, ["user.session.revoked"]),
            Call(.put, user + "/status", #"{"status": "suspended"}"#, ["user.status.updated"]),
            Call(.delete, user, nil, ["user.deleted"]),
        ]
        return apps + messages + keys + webhooks + users
    }()

    // Proves: A1
    @Test("Each change through the management API has an event that names its key")
    func managementAPI() async throws {
        let world = try await EdgeWorld { $0.passwordLogin = nil }
        world.operatorEndpoints.serve(Self.hook) { request throws(EgressError) in
            let challenge = request.url.split(separator: "challenge=").last?.prefix { $0.isNumber } ?? ""
            return EgressAnswer(status: 200, body: Data(#"{"challenge": \#(challenge)}"#.utf8))
        }
        let (key, secret) = try await world.service.managementKeys.create(name: "backend", app: nil)
        let actor = EventContext.Actor(.managementKey, id: key.id, name: "backend")
        var ids: [String: String] = [:]
        for call in Self.calls {
            if (call.path + (call.json ?? "")).contains("{session}") {
                ids["session"] = try await session(in: world, of: ids["user"])
            }
            if call.path.contains("{passkey}") {
                ids["passkey"] = "AAAA"
                try await world.service.store.perform(InsertPasskey(id: "AAAA", userID: ids["user"] ?? ""))
            }
            let path = ids.reduce(call.path) { $0.replacing("{\($1.key)}", with: $1.value) }
            let json = call.json.map { json in ids.reduce(json) { $0.replacing("{\($1.key)}", with: $1.value) } }
            let before = Set(try await events(world).map(\.id))
            let response = try await world.call(
                call.method, path, [.authorization: "Bearer " + secret], json: json)
            #expect((200..<300).contains(response.status), "\(call.method) \(path): \(response.text)")
            let written = try await events(world).filter { !before.contains($0.id) }
            #expect(Set(written.map(\.name.rawValue)) == call.events, "\(call.method) \(path)")
            #expect(written.allSatisfy { $0.context.actor == actor }, "\(call.method) \(path)")
            if let name = call.name { ids[name] = Self.id(response.members) }
        }
    }

    /// A new route fails here until it is in the table.
    // Proves: A1
    @Test("The table of actors has every route that changes something")
    func complete() async throws {
        let world = try await EdgeWorld.shared.value
        func shape(_ path: String) -> String {
            path.replacing("/apps/testapp", with: "/apps/*").replacing(/{[a-z_]+}/, with: "*")
                .replacing("templates/sms/sign_in/de", with: "templates/*/*/*").replacing(/\?.*/, with: "")
        }
        let routes = buildRouter(service: world.service, edge: EdgeOptions()).routes
            .filter { $0.path.description.hasPrefix("/v2/") && $0.method != .get && $0.method != .head }
            .map { "\($0.method.rawValue) \(shape($0.path.description))" }
        #expect(Set(routes) == Set(Self.calls.map { "\($0.method.rawValue) \(shape($0.path))" }))
    }

    // Proves: A3
    @Test("A configured key is an actor without an id, which would contain a part of its hash")
    func configured() async throws {
        let secret = "Zq7-Lw2_R9x-Kt4_Vb1-Mn8_Hs5"
        let world = try await EdgeWorld(configuredKey: secret)
        let changed = try await world.call(
            .patch, Self.app, [.authorization: "Bearer " + secret], json: #"{"sign_up": false}"#)
        #expect(changed.status == 200)
        let event = try #require(try await events(world).first { $0.name == .appUpdated })
        #expect(event.context.actor == EventContext.Actor(.configuration, name: "configured"))
    }

    private static func id(_ members: [String: JSONValue]) -> String? {
        let nested: JSONValue? = members["config"] ?? members["user"]
        if case .object(let inner)? = nested { return inner["id"]?.stringValue }
        return members["id"]?.stringValue
    }

    /// Events of all apps and of the service.
    private func events(_ world: EdgeWorld) async throws -> [Event] {
        try await world.service.store.events(app: nil, after: 0, limit: 1000).map(\.event)
    }

    private func session(in world: EdgeWorld, of user: String?) async throws -> String {
        let session = Session(
            id: world.service.environment.newID("ses"), appID: try TestApp.id(), userID: try #require(user),
            keyThumbprint: nil, device: Device(),
            createdAt: world.clock.timestamp, idleExpiresAt: world.clock.timestamp + 3600,
            absoluteExpiresAt: world.clock.timestamp + 3600)
        let user = try await world.service.users.user(session.userID, app: session.appID)
        _ = try await world.service.store.perform(
            StartSession(
                session: session, challengeID: "challenge of \(session.id)", challengeEpoch: user.loginEpoch,
                challengeExpiresAt: world.clock.timestamp + 60, proof: nil, previousSessionID: nil,
                maximumSessions: 100, now: world.clock.timestamp,
                events: EventFactory(appID: session.appID, environment: world.service.environment)))
        return session.id
    }
}

/// A passkey whose registration does not matter.
private struct InsertPasskey: Intent {
    let id: String
    let userID: String

    var reads: Read<App?> { Read(app: AppID("testapp"), .settings()) }

    func decide(_ app: App?) -> Decision<Void> {
        guard let app else { return Decision(()) }
        let passkey = Passkey(
            id: id, appID: app.id, userID: userID, userHandle: Data([1]), publicKey: Data([1]), counter: 0,
            aaguid: Data(count: 16), relyingPartyID: "example.com", transports: [], isBackupEligible: true,
            isBackedUp: true, nickname: nil, createdAt: app.createdAt)
        return Decision((), [.insertPasskey(passkey)])
    }
}
