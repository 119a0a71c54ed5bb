import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@testable import SessionConsole

@Suite("Permissions of operators in the console")
struct PermissionTests {
    /// The paths of all pages, with what they are about.
    static func pages(_ world: ConsoleWorld) async throws -> [String] {
        let app = try #require(AppID("testapp"))
        let markup = #"<img src=x onerror="alert(1)">'"#
        let user = try await world.service.users.create(
            app: app, identifiers: [CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            externalID: markup,
            profile: [markup: .string(markup), "nested": .object([markup: .array([.string(markup)])])])
        try await world.world.signIn(try world.world.client(), as: "ada@example.com")
        let session = try await world.service.users.sessions(of: user.id, app: app, limit: 1).elements[0]
        let hook = try await world.service.webhooks.create(
            url: "https://hooks.example.com/", events: nil, app: app)
        let key = try await world.service.managementKeys.create(name: markup, app: app).key
        _ = try await world.service.settings.update(App.self, of: app) { $0.name = markup }
        let route = DeliveryManagement.Replacement.Route(
            settings: RouteSettings(kind: .smtp, host: "mail.example.com", username: markup, from: "a@example.com"),
            secret: markup)
        _ = try await world.service.delivery.replace(.init([.email: [route]]), app: app)
        let template = try TemplateKey(channel: "email", purpose: "sign_in", locale: "it")
        try await world.service.templates.set(
            template.template(subject: markup, text: "{{code}}" + markup), app: app)
        let login = try await world.service.apps.app(app).otpLogins[0].id
        let person = try await world.service.operators.invite("op@example.com", role: .support)
        _ = try await world.browser(of: person)
        let signedIn = try await world.service.operators.sessions(of: person.id)[0]
        _ = try await world.service.claims.create([markup: .string(markup)], app: app)
        let rule = try await world.service.stepUpConfig.setRule(
            .init(scope: "pay", mode: "delegated", delegationHook: "https://hooks.example.com/" + markup), app: app
        ).rules[0].id
        let values = [
            "operator_id": person.id, "actor_id": key.id, "app_id": "testapp", "user_id": user.id,
            "webhook_id": hook.id, "key_id": key.id,
            "config_id": login, "rule_id": rule, "scope_id": "cGF5", "mode": "direct",
            "channel": "email", "place": "1", "purpose": "sign_in", "locale": "it",
            "group": "users", "session_id": session.id,
            "credential_id": try await world.addPasskey("aaaa", to: user.id, nickname: markup),
        ]
        let paths = world.routes
            .filter { $0.method == .get && !$0.path.contains("*") && !$0.path.contains("/assets/") }
            // Files and mails are no pages, and have tests of their own.
            .filter { !$0.path.hasSuffix("/export") && !$0.path.hasSuffix("/mail") }
            .map(\.path)
        return paths.map { path in
            var path = path.replacing(
                "{operator_id}/sessions/{session_id}", with: "{operator_id}/sessions/" + signedIn.id)
            for (name, value) in values { path = path.replacing("{\(name)}", with: value) }
            return path.hasSuffix("/identifiers/remove") ? path + "?type=email_address&value=ada%40example.com" : path
        }
    }

    // Proves: C7
    @Test("A key that may only read sees every page, and no form but the sign-out")
    func reading() async throws {
        let world = try await ConsoleWorld()
        let pages = try await Self.pages(world)
        var (browser, _) = try await world.operatorBrowser(role: .read)
        #expect(pages.count > 20)
        for path in pages where path != "/console/sign-in" {
            let answer = try await browser.get(path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            let forms = answer.text.matches(of: /<form method="post" action="([^"]+)"/).map { String($0.1) }
            #expect(forms == ["/console/sign-out"], "\(path)")
            #expect(!answer.text.contains("class=\"button danger"), "\(path)")
        }
    }

    // Proves: C7
    @Test("A forged form of a key that may only read gets 403 and changes nothing")
    func writing() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser(role: .read)
        let before = try await world.events().count
        for route in world.routes where route.method == .post && !route.path.contains("/sign-") {
            // A page about the own account. A key has none.
            guard !route.path.hasSuffix("/account/password") else { continue }
            let path = route.path.replacing("{app_id}", with: "testapp").replacing(/{[a-z_]+}/, with: "x")
            let answer = try await browser.post(path, "name=x&email=ada%40example.com")
            #expect(answer.status == 403 && answer.text.contains("needs the role write"), "\(path)")
        }
        #expect(try await world.events().count == before)
        #expect(try await browser.post("/console/sign-out").location == "/console/sign-in?done=signedOut")
    }

    // Proves: C7
    @Test("A key of one app sees and changes this app only")
    func oneApp() async throws {
        let world = try await ConsoleWorld()
        let other = try await world.service.apps.create(id: AppID("another"), name: "Other")
        var (browser, _) = try await world.operatorBrowser(app: other.id)
        #expect(try await browser.get("/console").text.contains("Other"))
        for route in world.routes where route.path.contains("{app_id}") {
            let path = route.path.replacing("{app_id}", with: "testapp").replacing(/{[a-z_]+}/, with: "x")
            let answer = route.method == .post ? try await browser.post(path) : try await browser.get(path)
            #expect(answer.status == 404 && answer.text.contains("no such app"), "\(path)")
        }
        for path in ["/console/events", "/console/new-app", "/console/mailbox", "/console/activity"] {
            #expect(try await browser.get(path).status == 403, "\(path)")
        }
        #expect(try await browser.post("/console/new-app", "name=x").status == 403)
        let settings = try await browser.get("/console/apps/another/settings")
        #expect(settings.status == 200 && !settings.text.contains("name=\"domains\""))
        let form = "name=x&new_identifier_hold=0&signing_algorithm=EdDSA&event_retention=30&domains=a.example.com"
        #expect(try await browser.post("/console/apps/another/settings", form).status == 403)
    }

    // Proves: C5
    @Test(
        "No page shows a text of a user or an operator as markup, and each has a policy that forbids scripts of others")
    func markup() async throws {
        let world = try await ConsoleWorld()
        let pages = try await Self.pages(world)
        var (browser, _) = try await world.operatorBrowser(name: "<i>Grace")
        for path in pages + ["/console/none", "/console/apps/none/users", ConsoleWorld.app + "/users/none"] {
            let answer = try await browser.get(path)
            #expect(!answer.text.contains("<img") && !answer.text.contains("<i>"), "\(path)")
            let hasScript = ["/console", "/console/apps", "/console/activity", ConsoleWorld.app].contains(path)
            let scripts = answer.text.matches(of: /<script[^>]*>[^<]*/).map { String($0.0) }
            let live = "<script type=\"module\" src=\"\(Asset.liveScript.path.text)\">"
            #expect(scripts == (hasScript ? [live] : []), "\(path)")
            #expect(!answer.text.contains(" style="), "\(path)")
            let policy = try #require(answer.head.headerFields[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"), "\(path)")
            #expect(!policy.contains("unsafe"), "\(path)")
            let scriptPolicy = "; script-src 'self'; connect-src 'self'"
            #expect(policy.hasSuffix(scriptPolicy) == hasScript && policy.contains("script") == hasScript, "\(path)")
            #expect(answer.head.headerFields[.cacheControl] == "no-store", "\(path)")
        }
    }

    // Proves: C14
    @Test("A new management key is shown once, and in no other page and no event")
    func secret() async throws {
        let world = try await ConsoleWorld()
        var (browser, _) = try await world.operatorBrowser()
        let answer = try await browser.post(ConsoleWorld.app + "/keys/new", "name=backend&role=write")
        let secret = try #require(answer.text.firstMatch(of: /psk_[A-Za-z0-9_-]{43}/)).0
        #expect(answer.head.headerFields[.cacheControl] == "no-store")
        #expect(try await browser.get(ConsoleWorld.app + "/keys").text.contains("backend"))
        #expect(try await !browser.get(ConsoleWorld.app + "/keys").text.contains(secret))
        for event in try await world.events() { #expect(!"\(event)".contains(secret)) }
    }

    // Proves: C7
    @Test("A key of an operator creates no key with more rights than its own")
    func rights() async throws {
        let world = try await ConsoleWorld()
        let app = try #require(AppID("testapp"))
        let secret = try await world.service.managementKeys.create(
            name: "Grace", app: app, expiresAt: world.clock.timestamp + 900
        ).secret
        var browser = Browser(world: world, host: "console.test")
        try await browser.signIn(secret)
        let answer = try await browser.post(
            ConsoleWorld.app + "/keys/new", "name=x&role=write&expires_at=2099-01-01T00:00:00Z")
        #expect(answer.status == 403 && answer.text.contains("expires later than itself"))
    }
}
