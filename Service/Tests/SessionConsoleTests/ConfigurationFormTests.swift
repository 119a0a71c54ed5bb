import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Forms of the configuration")
struct ConfigurationFormTests {
    private static let app = ConsoleWorld.app

    private static let rule: [(name: String, value: String)] = [
        ("rule.scope", "pay"), ("rule.direct.identifier_types", "email_address"), ("rule.direct.status", "review"),
        ("rule.direct.grant_mode", "session-bound"), ("rule.direct.granted_for", "300"),
        ("rule.direct.steps[0].key", "verify_email"), ("rule.direct.steps[0].expiration_duration", "600"),
        ("rule.direct.steps[1].key", ""), ("rule.direct.steps[1].expiration_duration", "600"),
        ("rule.direct.steps[2].key", ""), ("rule.direct.steps[2].expiration_duration", "600"),
    ]

    private static func form(_ fields: [(name: String, value: String)], _ changes: [String: String] = [:]) -> String {
        fields.map { field in
            let value = changes[field.name] ?? field.value
            let pair = ConsolePath.home.query([field.name: value]).text.split(separator: "?").last ?? ""
            // A query leaves out empty values, which a form sends.
            return value.isEmpty
                ? field.name.replacing("[", with: "%5B").replacing("]", with: "%5D") + "=" : String(pair)
        }.joined(separator: "&")
    }

    @Test(
        "A mistake in a rule is shown at its field",
        arguments: [
            ("rule.scope", "", "Scope is required."), ("rule.scope", "a b", "Scope must be 1 to 128 letters"),
            ("rule.scope", "prld:phone:register", "Scope is decided by the service"),
            ("rule.scope", "prld:other", "Scope is reserved"),
            ("rule.direct.identifier_types", "", "Users must be phone_number, email_address or both."),
            ("rule.direct.status", "x", "Decision must be continue or review or block."),
            ("rule.direct.grant_mode", "x", "The scope is in must be single-use"),
            ("rule.direct.granted_for", "soon", "For how long, in seconds must be a whole number."),
            ("rule.direct.granted_for", "0", "For how long, in seconds must be 1 to 86400 seconds"),
            ("rule.direct.steps[0].key", "", "Step 1 is required."),
            (
                "rule.direct.steps[0].key", "check_id",
                "Step 1 must be verify_sms, verify_email, verify_passkey or one of step_keys."
            ),
            ("rule.direct.steps[1].key", "verify_email", "Step 2 is used twice."),
            ("rule.direct.steps[2].key", "verify_sms", "Step 2 is required before the next one."),
            ("rule.direct.steps[0].expiration_duration", "86401", "Time for step 1, in seconds must be 0 to 86400"),
        ])
    func refusedRule(field: String, value: String, message: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.post(
            Self.app + "/step-up/new/direct", Self.form(Self.rule, [field: value]))
        #expect(answer.status == 400)
        #expect(answer.text.contains(#"<p class="error" id=""#) && answer.text.contains(message), "\(answer.text)")
        #expect(try await world.service.apps.app(world.world.appID).stepUp == nil)
    }

    @Test("A denied scope needs no steps and no terms, whatever its hidden fields contain")
    func denied() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let changes = [
            "rule.direct.status": "block", "rule.direct.granted_for": "x", "rule.direct.steps[0].key": "none",
        ]
        let answer = try await browser.post(Self.app + "/step-up/new/direct", Self.form(Self.rule, changes))
        #expect(answer.status == 303)
        let rules = try await world.service.apps.app(world.world.appID).stepUp?.rules
        #expect(rules == [ScopeRule(scope: "pay", mode: .direct([.emailAddress], .block))])
    }

    @Test("A rule that another operator has changed is not overwritten")
    func changedRule() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        _ = try await browser.post(Self.app + "/step-up/new/direct", Self.form(Self.rule))
        let id = try #require(try await world.service.apps.app(world.world.appID).stepUp?.rules.first?.id)
        let path = Self.app + "/step-up/rules/" + id
        let first = try await browser.post(path, Self.form(Self.rule, ["rule.direct.granted_for": "60"]))
        let second = try await browser.post(path, Self.form(Self.rule, ["rule.direct.granted_for": "90"]))
        #expect(first.status == 303 && second.status == 404)
        #expect(second.text.contains("it may have been changed or removed"))
        #expect(second.text.contains("What you entered is below."), "nothing is lost")
        #expect(second.value("rule.direct.granted_for") == "90" && second.value("rule.scope") == "pay")
        #expect(second.text.contains("action=\"" + Self.app + "/step-up/new/direct\""))
        let version = try await world.service.apps.app(world.world.appID).version
        #expect(second.value("settings_version") == version)
        let raise = try await browser.post(path + "/raise")
        #expect(raise.status == 404 && !raise.text.contains("What you entered"), "it has no fields")
    }

    @Test("Of a scope with one rule, the form of a rule that has changed meanwhile goes to the rule that is stored now")
    func replacedRule() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        var (browser, _) = try await world.operatorBrowser()
        func form(_ path: String) -> String {
            "rule.scope=pay&rule.delegated.delegation_hook=https%3A%2F%2Fhooks.example.com%2F" + path
        }
        #expect(try await browser.post(Self.app + "/step-up/new/delegated", form("a")).status == 303)
        let first = try #require(try await world.service.apps.app(app).stepUp?.rules.first?.id)
        let path = Self.app + "/step-up/rules/"
        #expect(try await browser.post(path + first, form("b") + "&confirmed=on").status == 303)
        let second = try #require(try await world.service.apps.app(app).stepUp?.rules.first?.id)
        let answer = try await browser.post(path + first, form("c"))
        #expect(answer.status == 404 && answer.text.contains("action=\"" + path + second + "\""), "\(answer.text)")
        let version = try #require(answer.value("settings_version"))
        let saved = try await browser.post(path + second, form("c") + "&settings_version=\(version)&confirmed=on")
        #expect(saved.status == 303)
        let modes = try await world.service.apps.app(app).stepUp?.rules.map(\.mode)
        #expect(modes == [.delegated(hook: "https://hooks.example.com/c")])
    }

    @Test("What was entered into the form of a rule that was removed meanwhile is in a form that adds a rule")
    func removedRule() async throws {
        let world = try await ConsoleWorld()
        let app = world.world.appID
        var (browser, _) = try await world.operatorBrowser()
        let hook = "rule.scope=pay&rule.delegated.delegation_hook=https%3A%2F%2Fhooks.example.com%2F"
        for (mode, form, entered) in [
            ("delegated", hook, "rule.delegated.delegation_hook"),
            ("managed", "rule.scope=prld%3Aemail%3Aregister", "rule.scope"),
        ] {
            #expect(try await browser.post(Self.app + "/step-up/new/" + mode, form).status == 303)
            let id = try #require(try await world.service.apps.app(app).stepUp?.rules.first?.id)
            let path = Self.app + "/step-up/rules/" + id
            let seen = try #require(try await browser.get(path).value("settings_version"))
            _ = try await world.service.stepUpConfig.removeRule(id, app: app)
            let answer = try await browser.post(path, form + "&settings_version=" + seen)
            #expect(answer.status == 409 && answer.text.contains("have changed meanwhile"))
            #expect(answer.text.contains("action=\"" + Self.app + "/step-up/new/\(mode)\""))
            #expect(answer.text.contains("name=\"\(entered)\""))
            let now = try #require(answer.value("settings_version"))
            #expect(
                try await browser.post(Self.app + "/step-up/new/" + mode, form + "&settings_version=" + now).status
                    == 303)
            _ = try await world.service.stepUpConfig.removeRule(id, app: app)
        }
    }

    @Test(
        "A form that was opened before another operator changed the settings overwrites nothing",
        arguments: [
            ("/settings", "name=New&sign_up=on"), ("/notices", ""), ("/limits", "starts.limit=1"),
            ("/sessions", "idle_lifetime=60"), ("/logins/password", "enabled=on"), ("/claims", ""),
            ("/templates", "default_locale=de"), ("/step-up/steps", "jwks_url=&step_keys="),
            ("/migration", "session_validation_url=https%3A%2F%2Fa.example%2F"),
            ("/templates/sms/sign_in/en", "text=%7B%7Bcode%7D%7D"),
        ])
    func stale(_ path: String, _ form: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let page = ["/logins/password": "/logins", "/step-up/steps": "/step-up"][path] ?? path
        let seen = try #require(try await browser.get(Self.app + page).value("settings_version"))
        try await world.service.apps.update(world.world.appID) { $0.name = "Other" }
        let before = try await world.service.apps.app(world.world.appID)
        let answer = try await browser.post(Self.app + path, form + "&settings_version=" + seen)
        #expect(answer.status == 409 && answer.text.contains("have changed meanwhile"), "\(answer.text)")
        #expect(answer.value("settings_version") == seen)
        #expect(try await world.service.apps.app(world.world.appID) == before)
        let now = try #require(try await browser.get(Self.app + page).value("settings_version"))
        #expect(try await browser.post(Self.app + path, form + "&settings_version=" + now).status != 409)
    }

    @Test("A webhook without an event, and a query that cannot be read, are refused on a page")
    func unreadable() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let hook = try await browser.post(Self.app + "/webhooks/new", "url=https%3A%2F%2Fhooks.example.com%2F")
        #expect(hook.status == 400 && hook.text.contains("must be at least one"))
        for query in ["%ff", "%zz"] {
            let answer = try await browser.get("/console/api?q=" + query)
            #expect(answer.status == 400 && answer.text.contains("The request is not valid"))
            #expect(answer.head.headerFields[.contentSecurityPolicy] != nil)
        }
    }

    @Test("A step of the backend that a rule uses cannot be removed")
    func usedStep() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let keys = "jwks_url=https%3A%2F%2Fhooks.example.com%2Fjwks&step_keys="
        #expect(try await browser.post(Self.app + "/step-up/steps", keys + "check_id").status == 303)
        _ = try await browser.post(
            Self.app + "/step-up/new/direct", Self.form(Self.rule, ["rule.direct.steps[0].key": "check_id"]))
        let answer = try await browser.post(Self.app + "/step-up/steps", keys)
        #expect(answer.status == 400 && answer.text.contains("Steps must contain check_id: a rule for pay uses it."))
    }

    @Test("The preview of claims is the token of a user, unsigned, and changes nothing")
    func preview() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let user = try await world.service.users.create(
            app: world.world.appID, identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            profile: ["plan": "gold"])
        let before = try await world.events().count
        let claims =
            "claims.0.name=plan&claims.0.source=profile&claims.0.value=plan"
            + "&claims.1.name=phone&claims.1.source=phone_numbers&claims.1.value=&claims.1.type=string"
        let answer = try await browser.post(Self.app + "/claims", claims + "&user=ada%40example.com&preview=on")
        #expect(answer.status == 200)
        for expected in [user.id, "gold", "at+jwt", "phone is null", "&quot;alg&quot;: &quot;EdDSA&quot;"] {
            #expect(answer.text.contains(expected), "\(expected)")
        }
        #expect(!answer.text.contains("eyJ"))
        #expect(try await world.service.apps.app(world.world.appID).claims == nil)
        #expect(try await world.events().count == before)
        let example = try await browser.post(Self.app + "/claims", claims + "&user=&preview=on&client=none")
        #expect(example.text.contains("+14155550100") && example.text.contains("&quot;cc&quot;: {"))
        let unknown = try await browser.post(Self.app + "/claims", claims + "&user=nobody&preview=on")
        #expect(unknown.status == 400 && unknown.text.contains("User is not a user of this app."))
    }

    @Test(
        "A mistake in a claim is shown at its field",
        arguments: [
            ("sub", "text", "x", "", "Name is a claim that the service sets."),
            ("", "text", "x", "", "Name is required."), ("a", "json", "{", "", "Text, JSON or key must be JSON"),
            ("a", "user_id", "x", "", "Text, JSON or key must be empty"),
            ("a", "profile", "", "", "Text, JSON or key is required."),
            ("a", "text", "x", "array", "Written is for values of the user and the client only."),
            ("a", "emails", "", "list", "Written must be string or array."),
            ("a", "x", "", "", "Value must be one of the list."),
            ("tier", "text", "x", "", "Name is used twice."),
            (String(repeating: "a", count: 65), "text", "x", "", "Name must have names of 1 to 64 bytes."),
            ("a\tb", "text", "x", "", "Name must be one line, without control characters and outer spaces."),
        ])
    func refusedClaim(name: String, source: String, value: String, type: String, message: String) async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let fields = [
            ("claims.0.name", "tier"), ("claims.0.source", "text"), ("claims.0.value", "gold"), ("claims.0.type", ""),
            ("claims.1.name", name), ("claims.1.source", source), ("claims.1.value", value), ("claims.1.type", type),
        ]
        let answer = try await browser.post(
            Self.app + "/claims", Self.form(fields.map { (name: $0.0, value: $0.1) }))
        #expect(answer.status == 400 && answer.text.contains(message), "\(answer.text)")
        #expect(answer.text.contains(#"<p class="error" id="claims-claims-1-"#))
        #expect(try await world.service.apps.app(world.world.appID).claims == nil)
    }

    @Test("Claims that are stored are shown in the form, and saved again unchanged")
    func storedClaims() throws {
        let mapping: [String: JSONValue] = [
            "tier": "free", "level": .int(3), "list": .array([.bool(true)]), "plan": .object(["$custom_claim": "plan"]),
            "mail": .object(["$input": "emails", "$type": "string"]), "id": .object(["$input": "user_id"]),
            "motto": "one\ntwo\r\nthree", "key": .object(["$custom_claim": "one\ntwo"]),
        ]
        let config = ClaimsConfig(mapping: try ClaimsManagement.sources(mapping), at: Timestamp(seconds: 0))
        let rows = ClaimRow.rows(of: config)
        #expect(try ClaimRow.mapping(rows) == mapping)
        #expect(
            rows.allSatisfy { row in !row.value.utf8.contains { $0 == 0x0A || $0 == 0x0D } },
            "a browser removes line breaks from a field of one line")
    }
}
