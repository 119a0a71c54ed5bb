import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Settings in events")
struct AuditedSettingsTests {
    private static let secret = "s3cr3t"
    private static let url = "https://ops:s3cr3t@hooks.example.com:8443/s3cr3t?token=s3cr3t#s3cr3t"

    /// An app with a secret in each setting that can contain one.
    private func full() throws -> App {
        var app = App(id: try appID(), name: "Shop", createdAt: now)
        app.domains = ["session.example.com"]
        app.allowedOrigins = ["https://app.example.com"]
        app.passwordLogin = PasswordLoginConfig(at: now)
        var otp = OTPLoginConfig(id: "lcfg_1", channel: .email, isDefault: true, at: now)
        otp.senderID = "Shop"
        app.otpLogins = [otp]
        app.scopes = ["pay"]
        app.stepUp = StepUpConfig(
            jwksURL: Self.url, stepKeys: ["kyc"],
            rules: [
                ScopeRule(scope: "pay", mode: .delegated(hook: Self.url)),
                ScopeRule(
                    scope: "read",
                    mode: .direct([.emailAddress], .grant(GrantTerms(mode: .singleUse, grantedFor: 60)))),
            ], at: now)
        let secret = JSONValue.string(Self.secret)
        app.claims = ClaimsConfig(
            mapping: [
                "key": .literal(secret), "list": .literal(.array([secret])),
                "object": .literal(.object(["a": secret, Self.secret: .int(1)])), "plan": .customClaim("plan"),
                "ids": .literal(.array([.object(["id": secret, "n": .int(7)])])),
                "url": .literal("tok://s3cr3t/s3cr3t"), "number": .literal(.int(4711)),
                "mail": .input(.emails, as: .string),
            ], at: now)
        app.migration = MigrationConfig(sessionValidationURL: Self.url, at: now)
        return app
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try TokenJSON.encode(value), as: UTF8.self)
    }

    // Proves: A3
    @Test("No secret appears, whatever setting contains it")
    func secrets() throws {
        let app = try full()
        #expect(try text(app).contains(Self.secret))
        let empty = try AuditedSettings(App(id: appID(), name: "Shop", createdAt: now))
        let all = AuditedSettings(app)
        #expect(try !text(all.values).contains(Self.secret))
        #expect(try !text(empty.changes(to: all)).contains(Self.secret))
        #expect(try !text(all.changes(to: empty)).contains(Self.secret))
    }

    @Test("Settings have the names and values of the management API")
    func values() throws {
        let values = AuditedSettings(try full()).values
        let url: JSONValue = "https://hooks.example.com:8443/…"
        let expected: [String: JSONValue] = [
            "id": "domain1", "name": "Shop", "domains": .array(["session.example.com"]),
            "allowed_origins": .array(["https://app.example.com"]), "signing_algorithm": "EdDSA",
            "sign_up": .bool(true), "event_retention": .int(30), "register_in_one_step": .bool(false),
            "development_tokens": .bool(false),
            "new_identifier_hold": .int(259_200), "scopes": .array(["pay"]), "sessions.device_key": "optional",
            "sessions.maximum_sessions": .int(100), "sessions.access_token_binding": "none",
            "login.otp.lcfg_1.channel_type": "email", "login.otp.lcfg_1.sender_id": "Shop",
            "limits.failures_per_address.window": .int(600), "limits.notices_per_day": .int(5),
            "login.password.password_compliancy.min_length": .int(8),
            "login.password.reject_common_passwords": .bool(true), "limits.code_lifetime": .int(600),
            "limits.consecutive_failed_checks": .int(99), "limits.starts_per_address.window": .int(600),
            "stepup.jwks_url": url, "stepup.step_keys": .array(["kyc"]),
            "stepup.allowed_scopes": .array([
                .object(["scope": "pay", "mode": "delegated", "delegated": .object(["delegation_hook": url])]),
                .object([
                    "scope": "read", "mode": "direct",
                    "direct": .object([
                        "identifier_types": .array(["email_address"]), "status": "continue", "granted_for": .int(60),
                        "grant_mode": "single-use",
                    ]),
                ]),
            ]),
            "claims.mapping.plan": .object(["$custom_claim": "plan"]),
            "claims.mapping.mail": .object(["$input": "emails", "$type": "string"]),
            "claims.mapping.key": AuditedSettings.hidden, "migration.session_validation_url": url,
        ]
        for (name, value) in expected { #expect(values[name] == value, "\(name)") }
    }

    // Proves: A3
    @Test("Literals of claims are hidden, and nothing else is")
    func hidden() throws {
        let hidden = try AuditedSettings(try full()).values.filter { try text($0.value).contains("(hidden)") }.keys
        #expect(
            hidden.sorted() == ["ids", "key", "list", "number", "object", "url"].map { "claims.mapping.\($0)" })
    }

    @Test("A claim has its own name in events, and each change of one is reported")
    func claimNames() throws {
        var old = App(id: try appID(), name: "Shop", createdAt: now)
        let names = ["created_at", "updated_at", "planId", "plan_id", "id", "_0"]
        let mapping = Dictionary(uniqueKeysWithValues: names.map { ($0, ClaimSource.customClaim("a")) })
        old.claims = ClaimsConfig(mapping: mapping, at: now)
        for name in names {
            var new = old
            new.claims?.mapping[name] = .customClaim("b")
            #expect(
                AuditedSettings(old).changes(to: AuditedSettings(new)) == [
                    "claims.mapping.\(name)": .object([
                        "before": .object(["$custom_claim": "a"]), "after": .object(["$custom_claim": "b"]),
                    ])
                ])
        }
    }

    @Test("A change has the values before and after, and times of changes are left out")
    func changes() throws {
        let old = try full()
        var new = old
        new.name = "Shop 2"
        new.sessions.idleLifetime = 86_400
        new.otpLogins[0].updatedAt = now + 1
        #expect(
            AuditedSettings(old).changes(to: AuditedSettings(new)) == [
                "name": .object(["before": "Shop", "after": "Shop 2"]),
                "sessions.idle_lifetime": .object(["before": .int(2_592_000), "after": .int(86_400)]),
            ])
        #expect(AuditedSettings(old).changes(to: AuditedSettings(old)).isEmpty)
    }

    @Test("Each change of a block is reported, also if identifiers have the same mask, and no identifier is shown")
    func blocks() throws {
        var all = App(id: try appID(), name: "Shop", createdAt: now)
        for name in ["ada", "abel", "ana.maria"] {
            let mail = try TestApp.mail("\(name)@example.com")
            try all.add(try Block(.identifier(mail), seconds: 60, note: name == "ada" ? "x" : nil, now: now), now: now)
        }
        func shown(_ note: JSONValue) -> JSONValue {
            .object([
                "until": .string((now + 60).rfc3339), "note": note, "created_at": .string(now.rfc3339),
            ])
        }
        for index in all.blocks.indices {
            var fewer = all
            fewer.blocks.remove(at: index)
            let change = JSONValue.object(["before": shown(index == 0 ? "x" : .null), "after": .null])
            #expect(
                AuditedSettings(all).changes(to: AuditedSettings(fewer)) == ["blocks.a***@example.com": change])
        }
        var none = all
        none.blocks = []
        let added = AuditedSettings(none).changes(to: AuditedSettings(all))
        let names = ["blocks.a***@example.com", "blocks.a***@example.com (2)", "blocks.a***@example.com (3)"]
        #expect(added.keys.sorted() == names)
        #expect(AuditedSettings(all).values.keys.filter { $0.hasPrefix("blocks.") }.sorted() == names)
        #expect(try !text(added).contains("ada") && !text(added).contains("abel"))

        var noted = all
        let ada = try TestApp.mail("ada@example.com")
        try noted.add(try Block(.identifier(ada), seconds: 60, note: "y", now: now), now: now)
        #expect(
            AuditedSettings(all).changes(to: AuditedSettings(noted)) == [
                "blocks.a***@example.com": .object(["before": shown("x"), "after": shown("y")])
            ])
    }

    @Test("A change of what is hidden is reported without the values")
    func hiddenChange() throws {
        let old = try full()
        var new = old
        new.claims?.mapping["key"] = .literal("other")
        new.claims?.mapping["number"] = .customClaim("number")
        new.migration = nil
        let hidden = AuditedSettings.hidden
        #expect(
            AuditedSettings(old).changes(to: AuditedSettings(new)) == [
                "claims.mapping.key": .object(["before": hidden, "after": hidden]),
                "claims.mapping.number": .object([
                    "before": hidden, "after": .object(["$custom_claim": "number"]),
                ]),
                "migration.session_validation_url": .object([
                    "before": "https://hooks.example.com:8443/…", "after": .null,
                ]),
            ])
    }

    @Test(
        "Of a URL only the origin is shown",
        arguments: [
            ("https://example.com", "https://example.com"), ("https://example.com/", "https://example.com"),
            ("https://example.com/a", "https://example.com/…"), ("https://example.com?a", "https://example.com/…"),
            ("https://u:p@example.com:1/", "https://example.com:1"), ("https://", nil), ("not a url", nil),
        ] as [(String, String?)])
    func origin(url: String, shown: String?) {
        #expect(AuditedSettings.origin(of: url) == shown)
    }
}
