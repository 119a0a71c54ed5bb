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
        app.claims = ClaimsConfig(
            mapping: [
                "key": .literal(.string(Self.secret)), "list": .literal(.array([.string(Self.secret)])),
                "object": .literal(.object(["a": .string(Self.secret)])), "plan": .customClaim("plan"),
                "mail": .input(.emails, as: .string),
            ], at: now)
        app.migration = MigrationConfig(sessionValidationURL: Self.url, at: now)
        return app
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try TokenJSON.encode(value), as: UTF8.self)
    }

    @Test("No secret appears, whatever setting contains it")
    func secrets() throws {
        let app = try full()
        #expect(try text(app).contains(Self.secret))
        let empty = try AuditedSettings(App(id: try appID(), name: "Shop", createdAt: now))
        let all = try AuditedSettings(app)
        #expect(try !text(all.values).contains(Self.secret))
        #expect(try !text(empty.changes(to: all)).contains(Self.secret))
        #expect(try !text(all.changes(to: empty)).contains(Self.secret))
    }

    @Test("Settings have the names and values of the management API")
    func values() throws {
        let values = try AuditedSettings(try full()).values
        let expected: [String: JSONValue] = [
            "name": "Shop", "domains": .array(["session.example.com"]),
            "allowed_origins": .array(["https://app.example.com"]), "signing_algorithm": "EdDSA",
            "sign_up": .bool(true), "event_retention": .int(30), "register_in_one_step": .bool(false),
            "new_identifier_hold": .int(259_200), "sessions.device_key": "optional",
            "sessions.maximum_sessions": .int(100), "sessions.idle_lifetime": .int(2_592_000),
            "sessions.access_token_binding": "none", "otp_logins.lcfg_1.channel": "email",
            "otp_logins.lcfg_1.sender_id": "Shop", "otp_limits.code_lifetime": .int(600),
            "step_up.jwks_url": "https://hooks.example.com:8443/…", "step_up.step_keys": .array(["kyc"]),
            "step_up.rules": .array([
                .object([
                    "scope": "pay",
                    "mode": .object(["delegated": .object(["hook": "https://hooks.example.com:8443/…"])]),
                ]),
                .object([
                    "scope": "read",
                    "mode": .object([
                        "direct": .array([
                            .array(["email_address"]),
                            .object(["grant": .object(["mode": "single-use", "granted_for": .int(60)])]),
                        ])
                    ]),
                ]),
            ]),
            "claims.mapping.plan.custom_claim": "plan", "claims.mapping.key.literal": AuditedSettings.hidden,
            "migration.session_validation_url": "https://hooks.example.com:8443/…",
        ]
        for (name, value) in expected { #expect(values[name] == value, "\(name)") }
    }

    /// Each setting with text that is on no list is hidden. A new one appears here, and someone decides.
    @Test("Only literals of claims are hidden")
    func hidden() throws {
        let hidden = try AuditedSettings(try full()).values.filter { try text($0.value).contains("(hidden)") }.keys
        #expect(
            hidden.sorted() == [
                "claims.mapping.key.literal", "claims.mapping.list.literal", "claims.mapping.object.literal.a",
            ])
    }

    @Test("A change has the values before and after, and times of changes are left out")
    func changes() throws {
        let old = try full()
        var new = old
        new.name = "Shop 2"
        new.sessions.idleLifetime = 86_400
        new.otpLogins[0].updatedAt = now + 1
        #expect(
            try AuditedSettings(old).changes(to: AuditedSettings(new)) == [
                "name": .object(["before": "Shop", "after": "Shop 2"]),
                "sessions.idle_lifetime": .object(["before": .int(2_592_000), "after": .int(86_400)]),
            ])
        #expect(try AuditedSettings(old).changes(to: AuditedSettings(old)).isEmpty)
    }

    @Test("A change of what is hidden is reported without the values")
    func hiddenChange() throws {
        let old = try full()
        var new = old
        new.claims?.mapping["key"] = .literal("other")
        new.migration = nil
        let hidden = AuditedSettings.hidden
        #expect(
            try AuditedSettings(old).changes(to: AuditedSettings(new)) == [
                "claims.mapping.key.literal": .object(["before": hidden, "after": hidden]),
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
