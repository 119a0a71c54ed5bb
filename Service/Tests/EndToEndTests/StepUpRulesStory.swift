import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

/// Rules of step-ups that hold for every client, tested through the API.
@Suite("Rules of step-ups", .eachStore)
struct StepUpRulesStory {
    @Test(
        "An unregistered scope is in no new token, even after it is registered again (R13)")
    func unregistered() async throws {
        let world = try await ServiceWorld()
        try await world.allow("reports:read", mode: "profile-bound")
        let client = try await world.signedIn()
        try await client.stepUp("reports:read", in: world)
        #expect(try await client.scopes() == ["reports:read"])
        let removed = try await world.manage(
            "/config/scopes", json: #"{"scope": "reports:read"}"#, method: .delete)
        #expect(removed.status == 204)
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(try await client.scopes() == [])
        try await world.register("reports:read")
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(try await client.scopes() == [])
    }

    @Test("A stricter rule ends grants of the old rule, and an unchanged rule ends none (R13)")
    func stricterRule() async throws {
        let world = try await ServiceWorld()
        try await world.allow("reports:read", mode: "session-bound")
        let client = try await world.signedIn()
        try await client.stepUp("reports:read", in: world)
        let rule = { (grantedFor: Int) in
            """
            {"allowed_scopes": [{"scope": "reports:read", "mode": "direct", "direct": {
                "identifier_types": ["email_address"], "status": "review", "granted_for": \(grantedFor),
                "grant_mode": "session-bound",
                "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}]}}]}
            """
        }
        #expect(try await world.manage("/config/stepup", json: rule(300), method: .put).status == 200)
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(try await client.scopes() == ["reports:read"])
        #expect(try await world.manage("/config/stepup", json: rule(60), method: .put).status == 200)
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(try await client.scopes() == [])
    }

    @Test(
        "A grant has its configured lifetime, and no access token outlives it",
        arguments: [
            ("single-use", 60), ("session-bound", 60), ("profile-bound", 60), ("single-use", 0),
        ])
    func lifetimes(mode: String, grantedFor: Int) async throws {
        let world = try await ServiceWorld()
        try await world.allow("reports:read", mode: mode, grantedFor: grantedFor)
        let client = try await world.signedIn()
        try await client.stepUp("reports:read", in: world)
        let ends = try #require(await client.accessTokenExpiresAt).timeIntervalSince(world.clock.timestamp.date)
        #expect(ends == Double(grantedFor == 0 ? 300 : grantedFor))
        world.clock.advance(seconds: grantedFor == 0 ? 300 : grantedFor)
        _ = try await client.refresh()
        #expect(try await client.scopes() == [])
    }

    @Test("Only a profile-bound grant is in the tokens of the user's other sessions")
    func whoseTokens() async throws {
        for (mode, shared) in [("profile-bound", true), ("session-bound", false), ("single-use", false)] {
            let world = try await ServiceWorld()
            try await world.allow("reports:read", mode: mode)
            let client = try await world.signedIn()
            let other = try await world.signedIn()
            let stranger = try await world.signedIn("eve@example.com")
            try await client.stepUp("reports:read", in: world)
            for (session, expected) in [(other, shared), (stranger, false)] {
                try await session.invalidateSession()
                _ = try await session.refresh()
                #expect(try await session.scopes() == (expected ? ["reports:read"] : []), "\(mode)")
            }
        }
    }

    @Test("A challenge of another session of the same user is rejected before any call")
    func foreignChallenge() async throws {
        let world = try await ServiceWorld()
        try await world.allow("reports:read")
        let client = try await world.signedIn()
        let faults = TestService.Faults()
        let other = try await world.signedIn(faults: faults)
        let challenge = try await client.requestStepUp(scope: "reports:read")
        try await client.sendStepUpOTP(challenge)
        let calls = world.count(.checkOTP)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await other.submitStepUpOTP(challenge, code: try world.code(for: "ada@example.com"))
        }
        guard case .invalidChallengeToken = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(world.count(.checkOTP) == calls)
    }

    @Test("An incomplete step-up grants nothing, and the token of a completed step is rejected as used (S1, S3)")
    func oldToken() async throws {
        let world = try await ServiceWorld()
        try await world.allow("reports:read", steps: ["verify_email", "verify_sms"])
        _ = try await world.service.users.create(
            app: world.appID,
            identifiers: [
                try CanonicalIdentifier(type: "email_address", value: "two@example.com"),
                try CanonicalIdentifier(type: "phone_number", value: "+14155550112"),
            ])
        let client = try await world.signedIn("two@example.com")
        let first = try await client.requestStepUp(scope: "reports:read")
        try await client.sendStepUpOTP(first)
        let emailCode = try world.code(for: "two@example.com")
        let second = try #require(try await client.submitStepUpOTP(first, code: emailCode))
        #expect(second.currentStep == "verify_sms" && second.challengeID == first.challengeID)
        #expect(try await client.scopes() == [])
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.submitStepUpOTP(first, code: "000000")
        }
        guard case .tokenReused = error else { return #expect(Bool(false), "\(String(describing: error))") }
        try await client.sendStepUpOTP(second)
        #expect(try await client.submitStepUpOTP(second, code: try world.code(for: "+14155550112")) == nil)
        #expect(try await client.scopes() == ["reports:read"])
    }

    @Test("A login that began before the password changed cannot be finalized (O12)")
    func voidedLogin() async throws {
        let world = try await ServiceWorld()
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: "g@example.com")],
            password: "correct horse battery")
        let login = try await world.call(
            "/v1/session/login/email/password",
            json: #"{"identifier":"g@example.com","password":"correct horse battery"}"#,
            headers: ["origin": ServiceWorld.localOrigin])
        let challenge = try #require(login.body["challenge_token"]?.stringValue)
        world.clock.advance(seconds: 1)
        let user = try await world.service.users.user(
            with: try CanonicalIdentifier(type: "email_address", value: "g@example.com"), app: world.appID)
        _ = try await world.service.users.setPassword(
            "staple crystal lantern", user: user.id, app: world.appID, ending: .all)
        let finalized = try await world.call(
            "/v1/session/login/finalize", json: #"{"challenge_token":"\#(challenge)"}"#,
            headers: ["origin": ServiceWorld.localOrigin])
        #expect(finalized.status == 401)
        #expect(finalized.body["code"]?.stringValue == "invalid_challenge_token")
    }

    @Test("A management key of one app cannot set domains, and a domain belongs to one app")
    func domains() async throws {
        let world = try await ServiceWorld()
        let own = try await world.manage("", json: #"{"domains": ["other.example.com"]}"#, method: .patch)
        #expect(own.status == 403)
        let (_, all) = try await world.service.managementKeys.create(name: "all", app: nil)
        let headers = ["authorization": "Bearer \(all)"]
        let set = try await world.call(
            "/v2/session/apps/testapp", json: #"{"domains": ["Auth.example.com"]}"#, headers: headers, method: .patch)
        #expect(set.status == 200)
        let second = try await world.call(
            "/v2/session/apps", json: #"{"id": "secondo", "name": "Second", "domains": ["auth.example.com"]}"#,
            headers: headers)
        #expect(second.status == 409)
        let unknown = try await world.call("/v2/session/apps/nothere/users", headers: headers)
        #expect(unknown.status == 404)
    }
}
