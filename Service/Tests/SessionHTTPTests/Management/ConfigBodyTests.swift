import Foundation
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("Configurations in requests")
struct ConfigBodyTests {
    private func read<Body: Decodable>(_ type: Body.Type, _ json: String) throws(Refusal) -> Body {
        try JSONBody.read(type, from: Data(json.utf8))
    }

    @Test(
        "A missing member of the session configuration gets its default, but binding and device key keep their values")
    func sessionDefaults() throws {
        var stored = SessionPolicy()
        stored.accessTokenBinding = .dpop
        stored.deviceKey = .required
        stored.maximumSessions = 7
        stored.accessTokenLifetime = 77
        var expected = SessionPolicy()
        expected.accessTokenBinding = .dpop
        expected.deviceKey = .required
        #expect(try read(SettingsBody<SessionPolicy>.self, "{}").settings(replacing: stored) == expected)
    }

    @Test("Members of the session configuration are written as they were read")
    func sessionMembers() throws {
        let json =
            #"{"absolute_lifetime":7776001,"access_token_binding":"dpop","access_token_lifetime":301,"bound_grace":31,"#
            + #""device_key":"required","idle_lifetime":1209601,"maximum_sessions":7,"nonce_policy":"always","proof_window":61,"unbound_grace":11}"#
        let policy = try read(SettingsBody<SessionPolicy>.self, json).settings(replacing: SessionPolicy())
        let written = SessionPolicy.schema.json(policy)
        for (name, value) in try TokenJSON.decode([String: JSONValue].self, from: Data(json.utf8)) {
            #expect(written[name] == value, "\(name)")
        }
    }

    @Test(
        "An unknown word is rejected with the words that are allowed",
        arguments: [
            (#"{"nonce_policy":"never"}"#, "nonce_policy", "must be when_needed or always"),
            (#"{"access_token_binding":"mtls"}"#, "access_token_binding", "must be none or dpop"),
            (#"{"device_key":"browser"}"#, "device_key", "must be optional or required"),
            (#"{"maximum_sessions":0}"#, "maximum_sessions", "must be 1 to 1000"),
            (#"{"bound_grace":0}"#, "bound_grace", "must be 10 to 31536000 seconds, or left out"),
        ])
    func sessionWords(json: String, field: String, problem: String) {
        #expect(throws: Refusal.invalidField(field, problem)) {
            let policy = try read(SettingsBody<SessionPolicy>.self, json)
            try SessionPolicy.schema.check(policy.settings(replacing: SessionPolicy()))
        }
    }

    @Test("What a body does not know or lacks is named before a wrong word")
    func sessionOrder() throws {
        func refusal<Body: Decodable>(_ type: Body.Type, _ json: String) -> Refusal? {
            do throws(Refusal) {
                _ = try JSONBody.readExactly(type, from: Data(json.utf8))
                return nil
            } catch { return error }
        }
        #expect(
            refusal(SettingsBody<SessionPolicy>.self, #"{"acces_token_binding":"dpop","device_key":"x"}"#)
                == .invalidField("acces_token_binding", "is unknown; did you mean access_token_binding?"))
        #expect(
            refusal(SettingsBody<LimitSettings>.self, #"{"send_hook":{"if_unavailable":"x"}}"#)
                == .invalidField("send_hook.url", "is required"))
    }

    @Test("A body that would delete everything must name what it deletes")
    func emptyBodies() throws {
        #expect(throws: Refusal.invalidField("allowed_scopes", "is required")) {
            try read(StepUpConfigBody.self, "{}")
        }
        #expect(try read(StepUpConfigBody.self, #"{"allowed_scopes":[]}"#).change.allowedScopes.isEmpty)
    }

    @Test("A rate limit counts nanoseconds in bodies and seconds in the service")
    func rateLimit() throws {
        let limit = try read(RateLimitBody.self, #"{"ttl":600000000000,"limit":30}"#).rateLimit
        #expect(limit == RateLimit(limit: 30, window: 600))
        #expect(RateLimitBody(limit).json == .object(["ttl": .int(600_000_000_000), "limit": .int(30)]))
    }

    private func password(_ json: String) throws(Refusal) -> PasswordLoginConfig {
        var stored = PasswordLoginConfig.defaults
        stored.rejectsCommonPasswords = false
        stored.policy.minLength = 99
        let next = try read(PasswordConfigChangeBody.self, json).settings.settings(replacing: stored)
        try PasswordLoginConfig.schema.check(next, replacing: stored)
        return next
    }

    @Test("A missing setting of passwords gets its default")
    func passwordRules() throws {
        var expected = PasswordLoginConfig.defaults
        #expect(try password("{}") == expected)
        expected.policy.minLength = 12
        expected.policy.symbols = 1
        expected.rejectsCommonPasswords = false
        let json = #"{"password_compliancy":{"min_length":12,"symbols":1},"reject_common_passwords":false}"#
        #expect(try password(json) == expected)
        #expect(try password(#"{"password_compliancy":{"max_length":0}}"#).policy.maxLength == 256)
    }

    @Test(
        "A wrong value is rejected by its name",
        arguments: [
            (#"{"hash_method":"bcrypt"}"#, "hash_method", "must be argon2id"),
            (
                #"{"rate_limit_login_ip":{"ttl":1,"limit":1}}"#, "rate_limit_login_ip.ttl",
                "must be whole seconds, 1 second to 1 day, in nanoseconds"
            ),
            (
                #"{"rate_limit_login_identifier":{"ttl":1000000000,"limit":-1}}"#, "rate_limit_login_identifier.limit",
                "must be 0 to 1000000"
            ),
            (#"{"password_compliancy":{"symbols":257}}"#, "password_compliancy.symbols", "must be 0 to 256"),
            (
                #"{"password_compliancy":{"max_length":7}}"#, "password_compliancy.max_length",
                "is too small for the other rules"
            ),
            (
                #"{"password_compliancy":{"max_length":9,"symbols":5,"numbers":5}}"#, "password_compliancy.max_length",
                "is too small for the other rules"
            ),
        ])
    func passwordProblems(json: String, field: String, problem: String) throws {
        #expect(try password(#"{"hash_method":"argon2id"}"#).enabled)
        #expect(throws: Refusal.invalidField(field, problem)) { try password(json) }
    }

    @Test("A configuration of OTP login needs a channel; other members have defaults")
    func otp() throws {
        func login(_ json: String) throws(Refusal) -> OTPLoginConfig {
            try read(OTPConfigChangeBody.self, json).settings.settings(replacing: .defaults)
        }
        let login = try login(#"{"channel_type":"sms"}"#)
        #expect(login.channel == .sms && !login.isDefault && login.codeSize == 6 && login.grantedScopes.isEmpty)
        for (json, field, problem) in [
            ("{}", "channel_type", "is required"), (#"{"channel_type":"fax"}"#, "channel_type", "must be sms or email"),
            (#"{"channel_type":"sms","config_type":"totp"}"#, "config_type", "must be otp"),
        ] {
            #expect(throws: Refusal.invalidField(field, problem)) { try read(OTPConfigChangeBody.self, json) }
        }
    }

    @Test("A change of an app changes the settings that it names, and no other")
    func app() throws {
        var app = App.defaults
        app.eventRetention = 7
        try read(AppChangeBody.self, #"{"signing_algorithm":"ES256","domains":["A.example.com"]}"#).settings.change(
            &app)
        #expect(app.signingAlgorithm == .es256 && app.eventRetention == 7 && app.domains == ["a.example.com"])
        #expect(throws: Refusal.invalidField("signing_algorithm", "must be EdDSA, Ed25519, ES256 or RS256")) {
            try read(AppChangeBody.self, #"{"signing_algorithm":"none"}"#)
        }
        #expect(throws: Refusal.invalidField("id", "must be 7 lower-case letters or digits")) {
            try read(AppChangeBody.self, #"{"id":"x"}"#)
        }
    }

    @Test("A wrong member is named, and not one beside it")
    func named() {
        func problem<Body: Decodable>(_ type: Body.Type, _ json: String) -> String? {
            do throws(Refusal) {
                _ = try JSONBody.readExactly(type, from: Data(json.utf8))
                return nil
            } catch {
                if case .invalidField(let field, _) = error { return field }
                return "\(error)"
            }
        }
        #expect(problem(OTPConfigChangeBody.self, #"{"config_type":null,"channel_type":"sms"}"#) == "config_type")
        #expect(problem(PasswordConfigChangeBody.self, #"{"hash_method":null,"enabled":true}"#) == "hash_method")
        #expect(problem(AppChangeBody.self, #"{"id":null,"name":"x"}"#) == "id")
    }
}
