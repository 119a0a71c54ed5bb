import HTTPTypes
import SessionDomain
import SessionTokens
import Testing

@Suite("Names of settings in events")
struct EventSettingsTests {
    private static let base = "/v2/session/apps/testapp"
    /// Members that are no settings: ids, constants, and times of changes.
    private static let others: Set = ["config_type", "hash_method", "created_at", "updated_at"]

    /// What PUT accepts below `config/`, with a value for each member that has one.
    private static let bodies: [(path: String, json: String)] = [
        ("scopes", #"{"scope": "pay"}"#),
        ("claims", #"{"mapping": {"plan": {"$custom_claim": "plan"}, "mail": {"$input": "emails"}}}"#),
        ("migration", #"{"session_validation_url": "https://backend.example.com"}"#),
        ("login/password", #"{"enabled": true}"#),
        (
            "login/otp",
            #"{"channel_type": "email", "template_id": "t", "sender_id": "s@a.de", "granted_scopes": ["pay"]}"#
        ),
        (
            "stepup",
            """
            {"jwks_url": "https://backend.example.com", "step_keys": ["kyc"], "allowed_scopes": [
              {"scope": "prld:email:register", "mode": "managed"},
              {"scope": "pay", "mode": "direct", "direct": {
                "identifier_types": ["email_address"], "status": "review", "granted_for": 60,
                "grant_mode": "session-bound", "steps": [{"order": 1, "key": "kyc", "expiration_duration": 60}]}}]}
            """
        ),
    ]

    /// A setting that the API has and events lack fails here, and so does another name or value.
    @Test("Each setting of the management API has the same name and value in events")
    func names() async throws {
        let world = try await EdgeWorld { $0.passwordLogin = nil }
        let headers = try await world.operatorHeaders()
        for (path, json) in Self.bodies {
            let created = try await world.call(.post, Self.base + "/config/" + path, headers, json: json)
            #expect(created.status == 201, "\(path): \(created.text)")
        }
        func config(_ path: String) async throws -> JSONValue {
            let response = try await world.call(.get, Self.base + path, headers)
            return response.members["config"] ?? .object(response.members)
        }
        var settings = Self.flat(try await config(""), at: "")
        let text = #"{"subject": "Codice", "text": "{{code}}"}"#
        let template = "/config/templates/email/sign_in/it"
        #expect(try await world.call(.put, Self.base + template, headers, json: text).status == 200)
        let autofill = #"{"default_locale": "it", "autofill_host": "example.com", "android_app_hash": "FA+9qCX9VSu"}"#
        #expect(try await world.call(.put, Self.base + "/config/templates", headers, json: autofill).status == 200)
        let texts = try await config(template)
        for name in ["subject", "text"] {
            guard case .object(let members) = texts else { throw Absent() }
            settings["templates.email.sign_in.it.\(name)"] = members[name]
        }
        let paths = [
            "sessions", "limits", "scopes", "stepup", "claims", "migration", "login/password", "templates", "notices",
        ]
        for path in paths {
            let name = path.replacing("/", with: ".") + "."
            settings.merge(Self.flat(try await config("/config/" + path), at: path == "scopes" ? "" : name)) { $1 }
        }
        // Names of limits in the login with a password, which the limits have, too.
        settings = settings.filter { !$0.key.hasPrefix("login.password.rate_limit_") }
        let logins = try await world.call(.get, Self.base + "/config/login/otp", headers)
        guard case .array(let configs)? = logins.members["configs"] else { throw Absent() }
        for config in configs {
            guard case .object(var members) = config else { throw Absent() }
            let id = try #require(members.removeValue(forKey: "id")?.stringValue)
            settings.merge(Self.flat(.object(members), at: "login.otp.\(id).")) { $1 }
        }
        let app = try await world.service.apps.app(try TestApp.id())
        let events = AuditedSettings(app).values
        for name in Set(settings.keys).union(events.keys).sorted() {
            #expect(events[name] == settings[name], "\(name)")
        }
        #expect(settings.count > 50)
    }

    private struct Absent: Error {}

    /// Objects are split into their members, except sources of claims. Settings that are not set are left out.
    private static func flat(_ value: JSONValue, at path: String) -> [String: JSONValue] {
        guard case .object(let members) = value, !members.keys.contains(where: { $0.hasPrefix("$") }) else {
            return value == .null ? [:] : [String(path.dropLast()): value]
        }
        let settings = members.filter { path.hasPrefix("claims.mapping.") || !others.contains($0.key) }
        return settings.reduce(into: [:]) { all, member in
            all.merge(flat(member.value, at: path + member.key + ".")) { $1 }
        }
    }
}
