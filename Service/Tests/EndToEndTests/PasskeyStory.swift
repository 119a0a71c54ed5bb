import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// Registers passkeys and signs in with them, as the clients of the hosted product call the service.
@Suite("Passkeys", .eachStore)
struct PasskeyStory {
    private func world(
        passkeys change: (inout PasskeyConfig) -> Void = { _ in }
    ) async throws -> ServiceWorld {
        try await ServiceWorld { $0.passkeys = Self.config(change) }
    }

    private static func config(_ change: (inout PasskeyConfig) -> Void) -> PasskeyConfig {
        var config = PasskeyConfig()
        config.relyingPartyID = "example.com"
        config.allowedOrigins = [PasskeyDevice.origin]
        change(&config)
        return config
    }

    private func claims(_ token: String) throws -> [String: JSONValue] {
        try JWT.unverifiedClaims(of: token, as: [String: JSONValue].self)
    }

    @Test("A registered passkey signs in, and the session says so")
    func wholeLife() async throws {
        let world = try await world()
        var device = try await PasskeyDevice(world)
        #expect(try claims(device.raw.accessToken)["amr"] == .array(["otp"]))
        let registered = try await device.register(nickname: "Phone")
        #expect(registered.status == 200 && registered.body["already_registered"] == nil)
        let id = try #require(registered.body["credential"]?["credential_id"]?.stringValue)
        let listed = try await device.call(.get, FrontendPath.passkeys.rawValue)
        #expect(listed.body["credentials"]?[0]?["nickname"]?.stringValue == "Phone")
        #expect(listed.body["credentials"]?[0]?["backup_state"]?.boolValue == true)

        let challenge = try await device.signIn()
        try device.raw.take(await device.raw.finalize(challenge))
        let claims = try claims(device.raw.accessToken)
        #expect(claims["amr"] == .array(["pop", "user"]) && claims["has_passkey"] == .bool(true))
        #expect(try await device.call(.patch, PasskeyDevice.path(of: id), #"{"nickname":""}"#).status == 204)
        let renamed = try await device.call(.get, FrontendPath.passkeys.rawValue)
        #expect(renamed.body["credentials"]?[0]?["nickname"] == nil)
        #expect(renamed.body["credentials"]?[0]?["last_used_at"]?.intValue == Int(world.clock.timestamp.seconds))
        #expect(try await device.call(.delete, PasskeyDevice.path(of: id)).status == 204)
        #expect(try await device.call(.delete, PasskeyDevice.path(of: id)).status == 404)
        let names = try await world.eventNames()
        #expect(names.filter { $0.hasPrefix("user.passkey") } == ["user.passkey.registered", "user.passkey.deleted"])
        #expect(names.filter { $0.hasPrefix("notice") }.isEmpty, "messages are not sent by this world")
    }

    // Proves: W5
    @Test("The options are those of WebAuthn")
    func options() async throws {
        let world = try await world(passkeys: { $0.attestationPreference = .indirect })
        let device = try await PasskeyDevice(world)
        let begun = try await device.begin(username: "ada", nickname: nil)
        let options = try #require(begun.body["public_key"])
        #expect(options["rp"]?["id"]?.stringValue == "example.com" && options["rp"]?["name"]?.stringValue == "Test")
        #expect(options["user"]?["name"]?.stringValue == "ada" && options["user"]?["displayName"]?.stringValue == "ada")
        #expect(Base64URL.decode(options["user"]?["id"]?.stringValue ?? "")?.count == 64)
        #expect(Base64URL.decode(options["challenge"]?.stringValue ?? "")?.count == 32)
        #expect(options["pubKeyCredParams"]?[0]?["alg"]?.intValue == -7)
        #expect(options["authenticatorSelection"]?["residentKey"]?.stringValue == "required")
        #expect(options["attestation"]?.stringValue == "indirect")
        let login = try await world.call(FrontendPath.beginPasskeyLogin.rawValue, json: "{}")
        #expect(login.body["public_key"]?["rpId"]?.stringValue == "example.com")
        #expect(login.body["public_key"]?["allowCredentials"] == nil)
        #expect(login.body["public_key"]?["userVerification"]?.stringValue == "required")
    }

    @Test("A lost response to a registration is answered again, and a known authenticator is excluded")
    func repeated() async throws {
        let device = try await PasskeyDevice(world())
        let body = try await device.registration()
        let path = FrontendPath.finishPasskeyRegistration.rawValue
        #expect(try await device.call(.post, path, body).body["already_registered"] == nil)
        #expect(try await device.call(.post, path, body).body["already_registered"]?.boolValue == true)
        await #expect(throws: SoftwareAuthenticator.Failure.alreadyRegistered) { try await device.registration() }
    }

    /// A change of the response, and what the service answers.
    private struct WrongLogin: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let code: String
        let change: @Sendable (inout [String: JSONValue], PasskeyDevice) async throws -> Void

        init(
            _ name: String, _ status: Int = 401, _ code: String = "unauthorized",
            _ change: @escaping @Sendable (inout [String: JSONValue], PasskeyDevice) async throws -> Void
        ) {
            (testDescription, self.status, self.code, self.change) = (name, status, code, change)
        }
    }

    private static let wrongLogins: [WrongLogin] = [
        WrongLogin("signature") { body, _ in try body.change("signature") { $0[20] ^= 1 } },
        WrongLogin("origin") { $0 = try await $1.assertion(origin: "https://evilapp.example.com") },
        WrongLogin("longer origin") { $0 = try await $1.assertion(origin: PasskeyDevice.origin + ".evil.com") },
        WrongLogin("user handle") { body, _ in try body.change("userHandle") { $0[0] ^= 1 } },
        WrongLogin("no user verification") { $0 = try await $1.assertion(verifiesUser: false) },
        WrongLogin("unknown passkey") { body, _ in (body["id"], body["rawId"]) = ("AAAA", "AAAA") },
        WrongLogin("rawId", 400, "bad_request") { body, _ in body["rawId"] = "AAAA" },
        WrongLogin("type", 400, "bad_request") { body, _ in body["type"] = "password" },
        WrongLogin("padding", 400, "bad_request") { body, _ in (body["id"], body["rawId"]) = ("AAA=", "AAA=") },
    ]

    // Proves: W1, W4, W11
    @Test("A wrong response signs nobody in", arguments: wrongLogins)
    private func wrongLogin(_ wrong: WrongLogin) async throws {
        let device = try await PasskeyDevice(world())
        #expect(try await device.register().status == 200)
        var assertion = try await device.assertion()
        try await wrong.change(&assertion, device)
        let answer = try await device.finishLogin(assertion)
        #expect(answer.status == wrong.status && answer.code == wrong.code, "\(answer.body)")
    }

    // Proves: W2, W3
    @Test("A token of a login is valid once, for its app, its ceremony and its time")
    func tokens() async throws {
        let world = try await world()
        let device = try await PasskeyDevice(world)
        #expect(try await device.register().status == 200)
        let assertion = try await device.assertion()
        #expect(try await device.finishLogin(assertion).status == 200)
        let again = try await device.finishLogin(assertion)
        #expect(again.status == 409 && again.code == "token_reused")

        let late = try await device.assertion()
        world.clock.advance(by: .seconds(300))
        #expect(try await device.finishLogin(late).code == "expired_challenge_token")

        let other = try await PasskeyDevice(world, key: PublishedKeys.otherDevice)
        let registration = try await other.begin(username: "ada", nickname: nil)
        var swapped = try await device.assertion()
        swapped["login_token"] = .string(try #require(registration.body["registration_token"]?.stringValue))
        #expect(try await device.finishLogin(swapped).code == "invalid_challenge_token")
        swapped["login_token"] = .string(device.raw.accessToken)
        #expect(try await device.finishLogin(swapped).code == "invalid_challenge_token")
    }

    // Proves: W2
    @Test("An assertion for one login is none for another one")
    func foreignChallenge() async throws {
        let world = try await world()
        let device = try await PasskeyDevice(world)
        #expect(try await device.register().status == 200)
        var assertion = try await device.assertion()
        let other = try await world.call(FrontendPath.beginPasskeyLogin.rawValue, json: "{}")
        assertion["login_token"] = .string(try #require(other.body["login_token"]?.stringValue))
        #expect(try await device.finishLogin(assertion).status == 401)
    }

    // Proves: W2
    @Test("A registration belongs to the session that began it")
    func foreignRegistration() async throws {
        let world = try await world()
        let (ada, bob) = (
            try await PasskeyDevice(world),
            try await PasskeyDevice(world, "bob@example.com", key: PublishedKeys.otherDevice)
        )
        let body = try await ada.registration()
        let answer = try await bob.call(.post, FrontendPath.finishPasskeyRegistration.rawValue, body)
        #expect(answer.status == 401 && answer.code == "token_mismatch")
    }

    // Proves: W8
    @Test("An old login needs the scope, which a step-up with a code gives")
    func scope() async throws {
        let world = try await world()
        try await world.allow("prld:passkey:write", mode: "session-bound")
        var device = try await PasskeyDevice(world)
        world.clock.advance(by: .seconds(601))
        try device.raw.take(await device.raw.refresh())
        let refused = try await device.begin(username: "ada", nickname: nil)
        #expect(refused.status == 403 && refused.code == "insufficient_scope")
        try await device.stepUp("prld:passkey:write") { try world.code(for: "ada@example.com") }
        #expect(try await device.register().status == 200)
    }

    @Test("A single use of the scope cannot be configured, because a registration takes two calls")
    func singleUse() async throws {
        let answer = try await world().manage(
            "/config/stepup",
            json: """
                {"allowed_scopes": [{"scope": "prld:passkey:write", "mode": "direct", "direct": {
                    "identifier_types": ["email_address"], "status": "continue", "granted_for": 60,
                    "grant_mode": "single-use"}}]}
                """)
        #expect(answer.status == 400 && answer.body["field"]?.stringValue == "allowed_scopes[0].direct.grant_mode")
    }

    @Test("A passkey completes a step, with and without an access token")
    func stepUp() async throws {
        for withToken in [true, false] {
            let world = try await world()
            try await world.allow("transfer:write", steps: ["verify_passkey"])
            var device = try await PasskeyDevice(world)
            let without = try await device.request("transfer:write")
            #expect(without.status == 403 && without.code == "passkey_step_unavailable")
            #expect(try await device.register().status == 200)
            let requested = try await device.request("transfer:write")
            #expect(requested.body["status"]?.stringValue == "review")
            let done = try await device.completeStep(requested.body, withToken: withToken)
            #expect(done.status == 200 && done.body["public_key_credential_request_options"] == nil, "\(done.body)")
            try await device.redeem(done)
            #expect(try claims(device.raw.accessToken)["scope"] == "transfer:write")
        }
    }

    @Test("An invalid access token is refused before the step is spent")
    func staleToken() async throws {
        let world = try await world()
        try await world.allow("transfer:write", steps: ["verify_passkey"])
        let device = try await PasskeyDevice(world)
        #expect(try await device.register().status == 200)
        let requested = try await device.request("transfer:write")
        world.clock.advance(by: .seconds(301))
        let stale = try await device.completeStep(requested.body, withToken: true)
        #expect(stale.status == 401 && stale.code == "unauthorized")
        #expect(try await device.completeStep(requested.body, withToken: false).status == 200)
    }

    // Proves: W4
    @Test("The passkey of another user completes no step")
    func foreignStep() async throws {
        let world = try await world()
        try await world.allow("transfer:write", steps: ["verify_passkey"])
        let (ada, bob) = (
            try await PasskeyDevice(world),
            try await PasskeyDevice(world, "bob@example.com", key: PublishedKeys.otherDevice)
        )
        #expect(try await ada.register().status == 200)
        #expect(try await bob.register().status == 200)
        let requested = try await ada.request("transfer:write")
        let answer = try await ada.completeStep(requested.body, withToken: true, by: bob.authenticator)
        #expect(answer.status == 400 && answer.body["field"]?.stringValue == "passkey_assertion")
    }

    // Proves: W9
    @Test("After a change of the RP ID, the earlier passkeys are void")
    func otherRelyingParty() async throws {
        let world = try await world()
        try await world.allow("transfer:write", steps: ["verify_passkey"])
        let device = try await PasskeyDevice(world)
        #expect(try await device.register().status == 200)
        let refused = try await world.manage(
            "/config/passkey", json: #"{"rp_id":"example.org","codes_with_passkey":false}"#, method: .put)
        #expect(refused.status == 400 && refused.body["field"]?.stringValue == "codes_with_passkey")
        let changed = try await world.manage(
            "/config/passkey", json: #"{"rp_id":"example.org","allowed_origins":["\#(PasskeyDevice.origin)"]}"#,
            method: .put)
        #expect(changed.status == 200)
        let begun = try await device.begin(username: "ada", nickname: nil)
        #expect(begun.body["public_key"]?["excludeCredentials"]?.arrayValue == [])
        let requested = try await device.request("transfer:write")
        #expect(requested.code == "passkey_step_unavailable", "\(requested.body)")
    }

    // Proves: W7
    @Test("A copied security key is refused and reported")
    func copied() async throws {
        let world = try await world()
        let device = try await PasskeyDevice(world, kind: .securityKey)
        #expect(try await device.register().status == 200)
        let thief = device.authenticator.copy()
        _ = try await device.signIn()
        let answer = try await device.finishLogin(try await device.assertion(by: thief))
        #expect(answer.status == 401)
        #expect(try await world.eventNames().contains("user.passkey.counter_lowered"))
        _ = try await device.signIn()
    }

    // Proves: W6
    @Test("Attestations that are required, models that are allowed")
    func attestation() async throws {
        let required = try await PasskeyDevice(world(passkeys: { $0.attestationPreference = .direct }))
        #expect(try await required.register().code == "passkey_registration_failed")
        let listed = try await PasskeyDevice(
            world(passkeys: { $0.allowedAAGUIDs = ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd"] }))
        #expect(try await listed.register().code == "passkey_authenticator_blocked")
        let allowed = try await PasskeyDevice(
            world(passkeys: { $0.allowedAAGUIDs = ["5072656c-7564-6553-6f66-747761726521"] }))
        #expect(try await allowed.register().status == 200)
    }

    @Test("Without a configuration, and with logins off, nothing begins")
    func notConfigured() async throws {
        let none = try await ServiceWorld { _ in }
        for path in [FrontendPath.beginPasskeyLogin, .finishPasskeyLogin] {
            let json =
                path == .beginPasskeyLogin
                ? "{}" : PasskeyDevice.json(["login_token": "a", "assertion": PasskeyDevice.empty])
            #expect(try await none.call(path.rawValue, json: json).code == "passkey_not_configured")
        }
        let device = try await PasskeyDevice(none)
        #expect(try await device.begin(username: "ada", nickname: nil).code == "passkey_not_configured")
        let off = try await world(passkeys: { $0.loginEnabled = false })
        #expect(
            try await off.call(FrontendPath.beginPasskeyLogin.rawValue, json: "{}").code == "passkey_not_configured")
    }

    @Test("The documents of the RP host list apps and origins")
    func associations() async throws {
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        let world = try await world(passkeys: {
            $0.iosAppIDs = ["A1B2C3D4E5.com.example.app"]
            $0.androidApps = ["com.example.app " + fingerprint.lowercased()]
        })
        let apple = try await world.call(FrontendPath.appleAppSiteAssociation.rawValue)
        #expect(apple.status == 200 && apple.head.headerFields[.contentType] == "application/json")
        #expect(apple.body["webcredentials"]?["apps"]?[0]?.stringValue == "A1B2C3D4E5.com.example.app")
        let origins = try await world.call(
            FrontendPath.relatedOrigins.rawValue, headers: ["origin": "https://another.example.org"])
        #expect(origins.body["origins"]?[0]?.stringValue == "https://example.com")
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost:8080", path: FrontendPath.assetLinks.rawValue)
        let (response, body) = try await world.router.respond(to: head, body: nil)
        let links = try JSONDecoder().decode([PreludeJSONValue].self, from: body)
        #expect(response.status == .ok)
        #expect(links[0]["target"]?["package_name"]?.stringValue == "com.example.app")
        #expect(links[0]["target"]?["sha256_cert_fingerprints"]?[0]?.stringValue == fingerprint)
        #expect(try await ServiceWorld { _ in }.call(FrontendPath.relatedOrigins.rawValue).status == 404)
    }

    @Test("An operator sees and deletes passkeys, and the export has them")
    func management() async throws {
        let world = try await world()
        let device = try await PasskeyDevice(world)
        #expect(try await device.register().status == 200)
        let claims = try claims(device.raw.accessToken)
        let user = try #require(claims["sub"]?.stringValue)
        #expect(try await world.manage("/users/\(user)").body["has_passkey"]?.boolValue == true)
        let listed = try await world.manage("/users/\(user)/passkeys")
        let id = try #require(listed.body["credentials"]?[0]?["credential_id"]?.stringValue)
        let export = try await world.manage("/users/\(user)/export")
        #expect(export.body["passkeys"]?[0]?["credential_id"]?.stringValue == id)
        #expect(try await world.manage("/users/\(user)/passkeys/\(id)", method: .delete).status == 204)
        #expect(try await world.manage("/users/\(user)/passkeys/\(id)", method: .delete).status == 404)
    }

    @Test("The configuration is created, read and replaced")
    func configuration() async throws {
        let world = try await ServiceWorld { _ in }
        #expect(try await world.manage("/config/passkey").status == 404)
        let put = try await world.manage(
            "/config/passkey", json: #"{"rp_id":"example.com","allowed_origins":["https://app.example.com"]}"#,
            method: .put)
        #expect(put.status == 200 && put.body["config"]?["user_verification"]?.stringValue == "required", "\(put.body)")
        for (json, field) in [
            (#"{"rp_id":"https://example.com"}"#, "rp_id"), (#"{}"#, "rp_id"),
            (#"{"rp_id":"example.com","allowed_origins":["https://app.example.com/"]}"#, "allowed_origins"),
            (#"{"rp_id":"example.com","allowed_origins":["http://app.example.com"]}"#, "allowed_origins"),
            (#"{"rp_id":"example.com","ios_app_ids":["com.example.app"]}"#, "ios_app_ids"),
            (#"{"rp_id":"example.com","android_apps":["com.example.app 00:11"]}"#, "android_apps"),
            (#"{"rp_id":"example.com","aaguid_allowlist":["x"]}"#, "aaguid_allowlist"),
            (#"{"rp_id":"example.com","attestation_roots":["AAAA"]}"#, "attestation_roots"),
            (#"{"rp_id":"example.com","granted_scopes":["none"]}"#, "granted_scopes"),
            (#"{"rp_id":"example.com","login_enabled":false,"codes_with_passkey":false}"#, "codes_with_passkey"),
        ] {
            let answer = try await world.manage("/config/passkey", json: json, method: .put)
            #expect(answer.status == 400 && answer.body["field"]?.stringValue == field, "\(json): \(answer.body)")
        }
    }
}
