import HTTPTypes
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Templates in the management API")
struct TemplateRoutesTests {
    private static let base = "/v2/session/apps/testapp/config"

    /// An operator of an app of its own.
    private struct Operator {
        let world: EdgeWorld
        let headers: HTTPFields

        init() async throws {
            world = try await EdgeWorld()
            headers = try await world.operatorHeaders()
        }

        func call(
            _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil
        ) async throws -> EdgeResponse {
            try await world.call(method, base + path, headers, json: json)
        }
    }

    private func config(_ response: EdgeResponse) -> [String: JSONValue] {
        if case .object(let members)? = response.members["config"] { members } else { [:] }
    }

    @Test("A template is set, used, and removed again")
    func lifecycle() async throws {
        let owner = try await Operator()
        let path = "/templates/email/sign_in/DE"
        let builtIn = try await owner.call(.get, path)
        #expect(builtIn.status == 200 && config(builtIn)["built_in"] == .bool(true))
        #expect(config(builtIn)["locale"] == "de" && config(builtIn)["subject"] == "Ihr Anmeldecode für {{app_name}}")

        let set = try await owner.call(.put, path, #"{"subject": "Code", "text": "Hallo: {{code}}"}"#)
        #expect(
            set.status == 200 && config(set)["built_in"] == .bool(false) && config(set)["text"] == "Hallo: {{code}}")
        #expect(try await owner.call(.get, path).text == set.text)
        let again = try await owner.call(.put, path, #"{"subject": "Code", "text": "{{code}}"}"#)
        #expect(config(again)["text"] == "{{code}}")
        #expect(try await owner.call(.get, "/templates").text.components(of: #""built_in":false"#) == 1)

        #expect(try await owner.call(.delete, path).status == 204)
        #expect(try await owner.call(.get, path).text == builtIn.text)
        #expect(try await owner.call(.delete, path).status == 404)
    }

    @Test("A link is refused in the name of the app and in a sender, by its field")
    func links() async throws {
        let owner = try await Operator()
        let name = try await owner.world.call(
            .patch, "/v2/session/apps/testapp", owner.headers, json: #"{"name": "http://evil.example/login"}"#)
        #expect(name.status == 400 && name.message?.hasPrefix("name must not contain links") == true)
        for sender in ["evil.com", "tel:+49170"] {
            let sms = try await owner.call(
                .post, "/login/otp", #"{"config_type": "otp", "channel_type": "sms", "sender_id": "\#(sender)"}"#)
            #expect(sms.status == 400 && sms.message?.hasPrefix("sender_id must not contain") == true)
        }
        let route = #"{"email": [{"type": "smtp", "host": "mail.example.com", "from": "evil.com <a@example.com>"}]}"#
        let delivery = try await owner.call(.put, "/delivery", route)
        #expect(delivery.status == 400 && delivery.message?.hasPrefix("email[0].from must not contain") == true)
        let created = try await owner.world.call(
            .post, "/v2/session/apps", owner.headers, json: #"{"name": "Booking.com"}"#)
        #expect(created.status == 400 && created.message?.hasPrefix("name must not contain Booking.com") == true)
    }

    @Test("A language without a template is not found, until it has one")
    func otherLanguage() async throws {
        let owner = try await Operator()
        let path = "/templates/sms/step_up/pt-br"
        #expect(try await owner.call(.get, path).status == 404)
        #expect(try await owner.call(.put, path, #"{"text": "{{code}}"}"#).status == 200)
        #expect(config(try await owner.call(.get, path))["locale"] == "pt-BR")
    }

    @Test("The list has the settings, and each template once")
    func list() async throws {
        let owner = try await Operator()
        let body = try await owner.call(.get, "/templates")
        #expect(body.members["config"] == .object(["default_locale": "en"]))
        guard case .array(let templates)? = body.members["templates"] else {
            Issue.record("no list")
            return
        }
        // Five languages, ten purposes, two channels.
        #expect(templates.count == 100)
    }

    // Proves: M18
    @Test(
        "An invalid template is rejected by its field",
        arguments: [
            ("/templates/fax/sign_in/de", #"{"text": "{{code}}"}"#, "channel"),
            ("/templates/sms/login/de", #"{"text": "{{code}}"}"#, "purpose"),
            ("/templates/sms/sign_in/d_e", #"{"text": "{{code}}"}"#, "locale"),
            ("/templates/sms/sign_in/de", "{}", "text"), ("/templates/sms/sign_in/de", #"{"text": "Hallo"}"#, "text"),
            ("/templates/sms/sign_in/de", #"{"text": "{{code}} {{user}}"}"#, "text"),
            ("/templates/sms/sign_in/de", #"{"text": "{{code}}", "subject": "x"}"#, "subject"),
            ("/templates/email/sign_in/de", #"{"text": "{{code}}"}"#, "subject"),
            ("/templates/email/sign_in/de", #"{"text": "{{code}}", "subject": "a\r\nBcc: b"}"#, "subject"),
            ("/templates/sms/notice_new_device/de", #"{"text": "https://example.com"}"#, "text"),
            ("/templates", #"{"default_locale": "d"}"#, "default_locale"),
            ("/templates", #"{"autofill_host": "https://example.com"}"#, "autofill_host"),
            ("/templates", #"{"autofill_host": "localhost"}"#, "autofill_host"),
            ("/templates", #"{"autofill_host": "example.com:443"}"#, "autofill_host"),
            ("/templates", #"{"android_app_hash": "FA+9qCX9VS"}"#, "android_app_hash"),
        ])
    func invalid(path: String, json: String, field: String) async throws {
        let response = try await Operator().call(.put, path, json)
        #expect(response.status == 400 && response.message?.hasPrefix(field + " ") == true, "\(response.text)")
    }

    @Test("Settings are replaced, and the deletion sets them back and removes the templates")
    func settings() async throws {
        let owner = try await Operator()
        let json = #"{"default_locale": "FR", "autofill_host": "Example.com", "android_app_hash": "FA+9qCX9VSu"}"#
        let expected: [String: JSONValue] = [
            "default_locale": "fr", "autofill_host": "example.com", "android_app_hash": "FA+9qCX9VSu",
        ]
        #expect(config(try await owner.call(.put, "/templates", json)) == expected)
        #expect(config(try await owner.call(.get, "/templates")) == expected)
        _ = try await owner.call(.put, "/templates/sms/sign_in/it", #"{"text": "{{code}}"}"#)
        #expect(config(try await owner.call(.put, "/templates", "{}")) == ["default_locale": "en"])
        #expect(try await owner.call(.get, "/templates/sms/sign_in/it").status == 200)
        #expect(try await owner.call(.delete, "/templates").status == 204)
        #expect(try await owner.call(.get, "/templates/sms/sign_in/it").status == 404)
    }

    @Test("An app has at most 100 templates of its own, and can still replace one of them")
    func bounded() async throws {
        let owner = try await Operator()
        _ = try await owner.world.service.apps.update(try TestApp.id()) { app in
            app.messages.templates = (0..<100).compactMap { index in
                MessageLocale("aa-x-\(index)").map {
                    MessageTemplate(channel: .sms, purpose: .signIn, locale: $0, text: "{{code}}")
                }
            }
        }
        #expect(try await owner.call(.put, "/templates/sms/sign_in/it", #"{"text": "{{code}}"}"#).status == 409)
        #expect(try await owner.call(.put, "/templates/sms/sign_in/aa-x-7", #"{"text": "{{code}}"}"#).status == 200)
    }

    @Test("A preview renders a stored template or a given text, and stores and sends nothing")
    func preview() async throws {
        let owner = try await Operator()
        let stored = try await owner.call(
            .post, "/templates/preview", #"{"channel": "email", "purpose": "sign_in", "locale": "fr"}"#)
        #expect(stored.status == 200 && stored.members["subject"] == "Votre code de connexion à Test")
        #expect(
            stored.members["html"]?.stringValue?.contains(">123456</p>") == true && stored.members["segments"] == nil)
        let given = try await owner.call(
            .post, "/templates/preview", #"{"channel": "sms", "purpose": "sign_in", "text": "ç {{code}}"}"#)
        #expect(
            given.members == [
                "locale": "en", "text": "ç 123456", "encoding": "ucs-2", "characters": .int(8), "segments": .int(1),
                "warnings": .array([]),
            ])
        let invalid = try await owner.call(
            .post, "/templates/preview", #"{"channel": "sms", "purpose": "sign_in", "text": "no code"}"#)
        #expect(invalid.status == 400 && invalid.message == "text must contain {{code}}")
        let subject = try await owner.call(
            .post, "/templates/preview", #"{"channel": "email", "purpose": "sign_in", "subject": "x"}"#)
        #expect(subject.status == 400 && subject.message?.hasPrefix("text ") == true)
        #expect(try await owner.call(.get, "/templates").text.components(of: #""built_in":false"#) == 0)
        #expect(owner.world.mailbox.messages.isEmpty)
    }

    @Test("Notices are turned on and off; a missing member gets its default")
    func notices() async throws {
        let owner = try await Operator()
        let defaults: [String: JSONValue] = [
            "new_device": .bool(false), "identifier_added": .bool(true), "identifier_removed": .bool(true),
            "password_changed": .bool(true), "passkey_added": .bool(true), "passkey_removed": .bool(true),
            "sessions_ended": .bool(true),
        ]
        #expect(config(try await owner.call(.get, "/notices")) == defaults)
        for (name, value) in defaults {
            let changed = JSONValue.bool(value == .bool(false))
            let json = "{\"\(name)\": \(changed == .bool(true))}"
            let expected = defaults.merging([name: changed]) { $1 }
            #expect(config(try await owner.call(.put, "/notices", json)) == expected)
            #expect(config(try await owner.call(.get, "/notices")) == expected)
        }
        #expect(config(try await owner.call(.put, "/notices", "{}")) == defaults)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
