import SessionDomain
import Testing

@Suite("Validation of templates")
struct MessageTemplateTests {
    private func template(
        _ text: String, subject: String? = nil, purpose: TemplatePurpose = .signIn
    ) -> MessageTemplate {
        MessageTemplate(
            channel: subject == nil ? .sms : .email, purpose: purpose, locale: .english, subject: subject, text: text)
    }

    @Test(
        "A template with its variables is accepted",
        arguments: [
            ("{{code}}", nil, .signIn), ("{{app_name}} {{code}} {{minutes}}", nil, .stepUp),
            ("{{code}}", "Sign in to {{app_name}}", .newIdentifier), ("New", nil, .passwordChanged),
            ("{{app_name}} {{time}} {{device}}", nil, .newDevice), ("{{time}} {{device}}", "x", .sessionsEnded),
            ("{{identifier}}", "{{identifier}}", .identifierAdded), ("کد {{code}}\u{200C}\nخط", nil, .signIn),
        ] as [(String, String?, TemplatePurpose)])
    func valid(text: String, subject: String?, purpose: TemplatePurpose) throws {
        #expect(throws: Never.self) { try template(text, subject: subject, purpose: purpose).validate() }
    }

    // Proves: M13
    @Test("A template without the code is rejected", arguments: [TemplatePurpose.signIn, .stepUp, .newIdentifier])
    func withoutCode(purpose: TemplatePurpose) {
        for subject in [nil, "Subject"] {
            #expect(throws: Refusal.invalidField("text", "must contain {{code}}")) {
                try template("Your code for {{app_name}} is 123456", subject: subject, purpose: purpose).validate()
            }
        }
    }

    // Proves: M18
    @Test(
        "An invalid template is rejected by its field",
        arguments: [
            ("{{code}} {{user}}", nil, .signIn, "text"), ("{{code}} {{time}}", nil, .signIn, "text"),
            ("{{code}}", nil, .newDevice, "text"), ("{{identifier}}", nil, .passwordChanged, "text"),
            ("{{code}", nil, .signIn, "text"), ("", nil, .newDevice, "text"), (" \n", nil, .newDevice, "text"),
            ("a\u{1B}b", nil, .newDevice, "text"), ("a\rb", nil, .newDevice, "text"),
            ("a\u{202E}b", nil, .newDevice, "text"),
            ("a\u{2028}b", nil, .newDevice, "text"), ("a\tb", nil, .newDevice, "text"),
            ("{{code}}", "", .signIn, "subject"), ("{{code}}", "{{code}}", .signIn, "subject"),
            ("{{code}}", "{{user}}", .signIn, "subject"), ("{{code}}", "{{", .signIn, "subject"),
        ] as [(String, String?, TemplatePurpose, String)])
    func invalid(text: String, subject: String?, purpose: TemplatePurpose, field: String) {
        #expect { try template(text, subject: subject, purpose: purpose).validate() } throws: { error in
            guard case Refusal.invalidField(field, _) = error else { return false }
            return true
        }
    }

    // Proves: M16
    @Test(
        "A subject that could add a header is rejected",
        arguments: ["\n", "\r", "\r\nBcc: eve@example.com", "\u{0}", "\u{85}", "\u{2029}", "\u{202E}", "\u{2066}"])
    func injection(_ addition: String) {
        #expect(throws: Refusal.invalidField("subject", "must be one line, without control characters")) {
            try template("{{code}}", subject: "Subject" + addition).validate()
        }
    }

    // Proves: M14
    @Test(
        "No template contains a link, of codes or of notices",
        arguments: ["https://example.com", "HTTP://EXAMPLE.COM", "www.example.com", "mailto:a@example.com", "tel:+1"])
    func links(_ link: String) {
        for purpose in TemplatePurpose.allCases {
            let code = purpose.hasCode ? "{{code}} " : ""
            #expect(throws: Refusal.invalidField("text", "must not contain links")) {
                try template(code + "Open \(link)", purpose: purpose).validate()
            }
            #expect(throws: Refusal.invalidField("subject", "must not contain links")) {
                try template(code + "x", subject: "Open \(link)", purpose: purpose).validate()
            }
        }
    }

    @Test(
        "A name that phones show as a link is rejected, also without a scheme",
        arguments: [
            ("Open evil.com now", "evil.com"), ("(evil.com)", "evil.com"), ("me@example.co.uk!", "example.co.uk"),
            ("{{app_name}}.com", "{{app_name}}.com"), ("пример.рф", "пример.рф"), ("evil.com.", "evil.com."),
        ])
    func linkedNames(_ text: String, _ name: String) {
        let problem =
            "must not contain \(name): mail programs and phones make a link of it. Write it without the full stop, or with a "
            + "space behind it"
        #expect(throws: Refusal.invalidField("text", problem)) { try template("{{code}} \(text)").validate() }
    }

    @Test(
        "A full stop inside other words is no link",
        arguments: ["e.g. z.B. p.ej.", "9.30", "2.5x", "Yes. No.", "end of it...", "コードです。次", "v1.2-rc"])
    func fullStops(_ text: String) {
        #expect(throws: Never.self) { try template("{{code}} \(text)").validate() }
    }

    @Test("Lengths are limited, in characters")
    func lengths() {
        func check(_ count: Int, _ field: String, longest: Int, _ template: (String) -> MessageTemplate) {
            let text = String(repeating: "é", count: count)
            #expect(throws: Never.self) { try template(text).validate() }
            #expect(throws: Refusal.invalidField(field, "must have at most \(longest) characters")) {
                try template(text + "x").validate()
            }
        }
        check(459, "text", longest: 459) { template($0, purpose: .newDevice) }
        check(2000, "text", longest: 2000) { template($0, subject: "x", purpose: .newDevice) }
        check(150, "subject", longest: 150) { template("x", subject: $0, purpose: .newDevice) }
    }

    @Test("A mail needs a subject, and an SMS has none")
    func subjects() {
        let sms = MessageTemplate(channel: .sms, purpose: .signIn, locale: .english, subject: "x", text: "{{code}}")
        #expect(throws: Refusal.invalidField("subject", "must not be set for an SMS")) { try sms.validate() }
        let mail = MessageTemplate(channel: .email, purpose: .signIn, locale: .english, text: "{{code}}")
        #expect(throws: Refusal.invalidField("subject", "is required for a mail")) { try mail.validate() }
    }

    @Test("An error names a variable only if its name is plain, and lists those that are there")
    func names() {
        #expect(
            throws: Refusal.invalidField(
                "text", "must not contain {{user}} here; its variables are {{code}}, {{app_name}}, {{minutes}}")
        ) { try template("{{user}}").validate() }
        #expect(
            throws: Refusal.invalidField(
                "text", "must not contain {{[?]}} here; its variables are {{code}}, {{app_name}}, {{minutes}}")
        ) { try template("{{secret secret}}").validate() }
    }
}
