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
        #expect(try read(SessionConfigBody.self, "{}").policy(replacing: stored) == expected)
    }

    @Test("Every member of the session configuration is read and written")
    func sessionMembers() throws {
        let json =
            #"{"absolute_lifetime":7776001,"access_token_binding":"dpop","access_token_lifetime":301,"bound_grace":31,"#
            + #""device_key":"required","idle_lifetime":1209601,"maximum_sessions":7,"nonce_policy":"always","proof_window":61,"unbound_grace":11}"#
        let policy = try read(SessionConfigBody.self, json).policy(replacing: SessionPolicy())
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(SessionConfigBody(policy)), as: UTF8.self) == json)
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
            try read(SessionConfigBody.self, json).policy(replacing: SessionPolicy())
        }
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
        #expect(RateLimitBody(limit).ttl == 600_000_000_000)
    }

    @Test("A missing password rule gets its default")
    func passwordRules() throws {
        let body = try read(PasswordConfigChangeBody.self, #"{"password_compliancy":{"min_length":12,"symbols":1}}"#)
        var expected = PasswordPolicy()
        expected.minLength = 12
        expected.symbols = 1
        #expect(try body.validated().policy == expected)
        #expect(try read(PasswordConfigChangeBody.self, "{}").validated().policy == nil)
    }

    @Test("Common passwords are rejected unless the configuration allows them")
    func commonPasswords() throws {
        let config = PasswordLoginConfig(at: Timestamp(milliseconds: 0))
        let kept = try read(PasswordConfigChangeBody.self, "{}").validated()
        #expect(kept.rejectsCommonPasswords == nil && config.rejectsCommonPasswords)
        let body = try read(PasswordConfigChangeBody.self, #"{"reject_common_passwords":false}"#).validated()
        #expect(body.rejectsCommonPasswords == false)
    }

    @Test("A hash method other than argon2id is rejected")
    func hashMethod() {
        #expect(throws: Never.self) {
            try read(PasswordConfigChangeBody.self, #"{"hash_method":"argon2id"}"#).validated()
        }
        #expect(throws: Refusal.invalidField("hash_method", "must be argon2id")) {
            try read(PasswordConfigChangeBody.self, #"{"hash_method":"bcrypt"}"#).validated()
        }
    }

    @Test("A configuration of OTP login needs a channel; other members have defaults")
    func otp() throws {
        let change = try read(OTPConfigChangeBody.self, #"{"channel_type":"sms"}"#).validated()
        #expect(change.channel == .sms && !change.isDefault && change.codeSize == 6 && change.grantedScopes.isEmpty)
        #expect(throws: Refusal.invalidField("channel_type", "must be sms or email")) {
            try read(OTPConfigChangeBody.self, #"{"channel_type":"fax"}"#).validated()
        }
        #expect(throws: Refusal.invalidField("config_type", "must be otp")) {
            try read(OTPConfigChangeBody.self, #"{"channel_type":"sms","config_type":"totp"}"#).validated()
        }
    }

    @Test("An unknown signing algorithm is rejected")
    func signingAlgorithm() throws {
        #expect(try read(AppChangeBody.self, #"{"signing_algorithm":"ES256"}"#).settings().signingAlgorithm == .es256)
        #expect(throws: Refusal.invalidField("signing_algorithm", "must be EdDSA, Ed25519, ES256 or RS256")) {
            try read(AppChangeBody.self, #"{"signing_algorithm":"none"}"#).settings()
        }
    }
}
