import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Testing

@testable import SessionConsole

@Suite("Actions of the console")
struct ActionTests {
    private static let app = ConsoleWorld.app
    private static let hook = "https://hooks.example.com/"

    /// One form with the events that it must write. `{…}` stands for an id that an earlier form has made, at the end of the
    /// path to which its response leads, or in its page.
    struct Action {
        let path: String
        let form: String
        let events: Set<String>
        var name: String?

        init(_ path: String, _ form: String, _ events: Set<String>, as name: String? = nil) {
            (self.path, self.form, self.events, self.name) = (path, form, events, name)
        }
    }

    private static let sessions = [
        "idle_lifetime=86400", "absolute_lifetime=864000", "access_token_lifetime=120", "maximum_sessions=5",
        "device_key=optional", "access_token_binding=none", "nonce_policy=when_needed", "proof_window=60",
        "bound_grace=60", "unbound_grace=10", "confirmed=on",
    ].joined(separator: "&")

    private static let password = [
        "enabled=on", "password_compliancy.min_length=10", "password_compliancy.max_length=0",
        "password_compliancy.uppercase=0", "password_compliancy.lowercase=0", "password_compliancy.numbers=0",
        "password_compliancy.symbols=0",
    ].joined(separator: "&")

    private static let settings = [
        "name=Renamed", "allowed_origins=https%3A%2F%2Fapp.example.com", "domains=", "new_identifier_hold=60",
        "signing_algorithm=EdDSA", "event_retention=30", "confirmed=on",
    ].joined(separator: "&")

    private static let rule = [
        "rule.scope=payments%3Awrite", "rule.direct.identifier_types=email_address", "rule.direct.status=review",
        "rule.direct.grant_mode=session-bound", "rule.direct.granted_for=300",
        "rule.direct.steps%5B0%5D.key=verify_email", "rule.direct.steps%5B0%5D.expiration_duration=600",
    ].joined(separator: "&")

    private static let limits = [
        "code_lifetime=300", "checks_per_code=5", "resend_delay=30", "sends_per_verification=5", "starts.limit=5",
        "starts.window=600", "failed_checks.limit=10", "failed_checks.window=3600", "failed_checks_per_day=20",
        "consecutive_failed_checks=99", "sends_per_hour=5", "sends_per_day=10", "app_sends_per_day=100",
        "calling_code_sends_per_day=100", "number_range_sends_per_day=100", "send_hook.url=",
        "send_hook.if_unavailable=allow", "allowed_prefixes=%2B33", "starts_per_address.limit=30",
        "starts_per_address.window=600", "failures_per_address.limit=60", "failures_per_address.window=600",
        "invalid_calls_per_address.limit=30", "invalid_calls_per_address.window=600",
        "migrations_per_address.limit=30", "migrations_per_address.window=600", "step_ups.limit=30",
        "step_ups.window=600", "notices_per_day=5", "delivery_tests.limit=10", "delivery_tests.window=600",
        "confirmed=on",
    ].joined(separator: "&")

    /// The configuration beside logins and sessions.
    private static let rules: [Action] = {
        let updated: Set = ["management.app.updated"]
        return [
            Action(app + "/step-up/scopes", "scope=orders%3Awrite", updated),
            Action(app + "/step-up/new/{direct}", rule, updated, as: "rule"),
            // Saved as it is: nothing changes, and grants stay.
            Action(app + "/step-up/rules/{rule}", rule, [], as: "rule"),
            Action(
                app + "/step-up/rules/{rule}", rule.replacing("for=300", with: "for=60"), updated, as: "rule"),
            Action(
                app + "/step-up/new/{direct}", rule.replacing("types=email_address", with: "types=phone_number"),
                updated, as: "second"),
            Action(app + "/step-up/rules/{second}/raise", "", updated),
            Action(app + "/step-up/rules/{rule}/remove", "", updated),
            Action(app + "/step-up/scopes/{orders}/remove", "", updated),
            Action(
                app + "/step-up/steps", "jwks_url=https%3A%2F%2Fhooks.example.com%2Fjwks&step_keys=check_id", updated),
            Action(app + "/claims", "claims.0.name=tier&claims.0.source=text&claims.0.value=gold", updated),
            Action(app + "/limits", limits, updated),
            Action(app + "/limits/clear", "subject=203.0.113.7", ["user.limits.cleared"]),
            Action(app + "/limits/block", "subject=203.0.113.0%2F24&hours=2&note=guesses", updated),
            Action(app + "/limits/unblock", "subject=203.0.113.0%2F24", updated),
            Action(app + "/notices", "new_device=on&confirmed=on", updated),
            Action(app + "/migration", "session_validation_url=\(hook)", updated),
            Action(app + "/passkeys", "rp_id=example.com&login_enabled=on&codes_with_passkey=on", updated),
        ]
    }()

    /// In an order in which each succeeds.
    static let actions: [Action] = {
        let updated: Set = ["management.app.updated"]
        let config = [
            Action("/console/new-app", "name=Shop", ["management.app.created"]),
            Action(app + "/settings", settings, updated), Action(app + "/sessions", sessions, updated),
            Action(app + "/logins/password", password, updated),
            Action(app + "/logins/codes/new", "channel_type=email&code_size=8", updated, as: "login"),
            Action(app + "/logins/codes/{login}", "channel_type=email&code_size=7", updated),
            Action(app + "/logins/codes/{login}/delete", "", updated),
            Action(app + "/playground/allow", "", updated), Action(app + "/playground/disallow", "", updated),
        ]
        let template = app + "/templates/{channel}/{purpose}/{locale}"
        let text = "subject=Codice&text=Il+codice%3A%0D%0A%0D%0A%7B%7Bcode%7D%7D"
        let messages = [
            Action(app + "/delivery/{channel}/{place}", "version={version}&type=webhook&url=\(hook)mail", updated),
            Action(
                app + "/delivery/{channel}/test", "identifier=ada%40example.com", ["management.delivery.tested"],
                as: "shown"),
            Action(app + "/delivery/{channel}/{place}/remove", "version={version}", updated),
            Action(app + "/templates", "default_locale=de", updated),
            Action(app + "/templates/new", "channel=email&purpose=sign_in&locale=it&" + text, updated),
            Action(template, text + "+Grazie.", updated), Action(template + "/preview", text, [], as: "shown"),
            Action(template + "/delete", "", updated),
        ]
        let keys = [
            Action(app + "/keys/new", "name=one&role=read", ["management.key.created"], as: "key"),
            Action(app + "/keys/{key}/rotate", "", ["management.key.created", "management.key.revoked"], as: "key"),
            Action(app + "/keys/{key}/revoke", "", ["management.key.revoked"]),
            Action(app + "/signing-keys/rotate", "purpose=access", ["signing_key.rotated"]),
        ]
        let webhooks = [
            Action(
                app + "/webhooks/new", "url=\(hook)&events=user.created", ["management.webhook.created"], as: "hook"),
            Action(app + "/webhooks/{hook}/activate", "", ["management.webhook.activated"]),
        ]
        let user = app + "/users/{user}"
        let users = [
            Action(app + "/users/new", "email=ada%40example.com", ["user.created"], as: "user"),
            Action(user + "/external-id", "external_id=4711", ["user.external_id.updated"]),
            Action(user + "/identifiers", "identifier=%2B14155550100", ["user.identifier.created"]),
            Action(
                user + "/identifiers/remove", "type=phone_number&value=%2B14155550100", ["user.identifier.deleted"]),
            Action(user + "/passkeys/{passkey}/remove", "", ["user.passkey.deleted"]),
            Action(user + "/profile", "key=plan&value=gold", ["user.profile.updated"]),
            Action(user + "/password", "password=staple+of+the+better+kind", ["user.password.updated"]),
            Action(user + "/limits", "", ["user.limits.cleared"]),
            Action(user + "/sessions/{session}/revoke-others", "", ["user.logins.voided"]),
            Action(user + "/sessions/{session}/revoke", "", ["user.session.revoked"]),
            Action(user + "/sessions/revoke-all", "", ["user.session.revoked"]),
            Action(user + "/status", "status=suspended", ["user.status.updated"]),
            Action(user + "/delete", "", ["user.deleted"]),
        ]
        let ends = [
            Action(app + "/webhooks/{hook}/deliveries/{event}/resend", "", ["management.webhook.resent"]),
            Action(app + "/webhooks/{hook}", "url=\(hook)2&events=user.deleted", ["management.webhook.updated"]),
            Action(app + "/webhooks/{hook}/delete", "", ["management.webhook.deleted"]),
            Action("/console/sign-out", "", ["management.console.signed_out"]),
        ]
        return config + rules + messages + keys + webhooks + users + OperatorActions.all + ends
    }()

    // Proves: C8
    @Test("Each form of the console has an event that names the operator's key and address")
    func events() async throws {
        let world = try await ConsoleWorld()
        world.world.operatorEndpoints.serve(Self.hook) { request throws(EgressError) in
            let challenge = request.url.split(separator: "challenge=").last?.prefix { $0.isNumber } ?? ""
            return EgressAnswer(status: 200, body: Data(#"{"challenge": \#(challenge)}"#.utf8))
        }
        var (browser, key) = try await world.operatorBrowser()
        let actor = EventContext.Actor(.managementKey, id: key.id, name: "Grace")
        // The segments of paths that no form makes: who decides, and a scope.
        var ids = [
            "direct": "direct", "orders": "b3JkZXJzOndyaXRl", "channel": "email", "place": "1", "purpose": "sign_in",
            "locale": "it",
        ]
        for action in Self.actions where !OperatorActions.needAccount.contains(action.path) {
            if action.path.contains("{operator_session}") {
                let person = try await world.service.operators.find(ids["operator"] ?? "")
                _ = try await world.browser(of: person)
                ids["operator_session"] = try await world.service.operators.sessions(of: person.id).first?.id
            }
            if action.path.contains("{session}") { ids["session"] = try await session(in: world, of: ids["user"]) }
            if action.path.contains("{passkey}") {
                ids["passkey"] = try await world.addPasskey("aaaa", to: ids["user"] ?? "")
            }
            if action.path.contains("{event}") { ids["event"] = try await delivered(in: world, ids["hook"]) }
            let path = ids.reduce(action.path) { $0.replacing("{\($1.key)}", with: $1.value) }
            let before = Set(try await world.events().map(\.id))
            if action.form.contains("{version}") { ids["version"] = try await browser.get(path).value("version") }
            let form = action.form.replacing("{version}", with: ids["version"] ?? "")
            let answer = try await browser.post(path, form)
            #expect(answer.status == (["key", "shown"].contains(action.name) ? 200 : 303), "\(path): \(answer.text)")
            var written = try await world.events().filter { !before.contains($0.id) }
            if path == "/console/new-app" { written += try await eventsOfNewApp(world, answer) }
            #expect(Set(written.map(\.name.rawValue)) == action.events, "\(path)")
            #expect(written.allSatisfy { $0.context.actor == actor && $0.context.ip == "192.0.2.1" }, "\(path)")
            if let name = action.name { ids[name] = try await id(of: name, answer, world) }
        }
    }

    /// A new form fails here until it is in the table.
    // Proves: C8
    @Test("The table of actions has every form of the console")
    func complete() async throws {
        let world = try await ConsoleWorld()
        func shape(_ path: String) -> String {
            path.replacing("{app_id}", with: "testapp").replacing(/{[a-z_]+}/, with: "*")
        }
        let forms = world.routes.filter { $0.method == .post && $0.path != "/console/sign-in" }.map { shape($0.path) }
        #expect(Set(forms) == Set(Self.actions.map { shape($0.path) }))
    }

    private func eventsOfNewApp(_ world: ConsoleWorld, _ answer: Browser.Answer) async throws -> [Event] {
        let id = answer.location?.split(separator: "/").last?.split(separator: "?").first
        guard let app = id.flatMap({ AppID($0) }) else { return [] }
        return try await world.service.store.events(app: app, limit: 10, offset: 0)
    }

    /// The id of what a form has made.
    private func id(of name: String, _ answer: Browser.Answer, _ world: ConsoleWorld) async throws -> String {
        let app = try #require(AppID("testapp"))
        switch name {
        case "key": return try await world.service.managementKeys.all(of: app).last?.id ?? ""
        case "rule": return try await world.service.apps.app(app).stepUp?.rules.first?.id ?? ""
        case "second": return try await world.service.apps.app(app).stepUp?.rules.last?.id ?? ""
        case "login": return try await world.service.apps.app(app).otpLogins.last?.id ?? ""
        default:
            return String(answer.location?.split(separator: "?").first?.split(separator: "/").last ?? "")
        }
    }

    /// An event that was delivered to the webhook.
    private func delivered(in world: ConsoleWorld, _ hook: String?) async throws -> String {
        let app = try #require(AppID("testapp"))
        // What was not delivered about the user that was deleted before is not delivered any more.
        _ = try await world.service.users.create(
            app: app, identifiers: [try CanonicalIdentifier(type: "email_address", value: "eve@example.com")])
        try await world.service.webhookWorker.deliverDue()
        await world.service.webhookWorker.settle()
        let deliveries = try await world.service.webhooks.deliveries(
            of: hook ?? "", app: app, limit: 10, offset: 0)
        return deliveries.first { $0.status == .delivered }?.event.id ?? ""
    }

    private func session(in world: ConsoleWorld, of user: String?) async throws -> String {
        let app = try #require(AppID("testapp"))
        try await world.world.signIn(try world.world.client(), as: "ada@example.com")
        return try await world.service.users.sessions(of: user ?? "", app: app, limit: 1).elements[0].id
    }
}
