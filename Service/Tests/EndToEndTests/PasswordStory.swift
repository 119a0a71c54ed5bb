import PreludeSession
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import Testing

@Suite("Signing in with a password", .eachStore)
struct PasswordStory {
    private func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld(hasher: Argon2PasswordHasher.cheap()) { app in
            app.passwordLogin?.policy.minLength = 12
            app.otpLimits.failedChecks = RateLimit(limit: 3, window: 900)
        }
        _ = try await world.service.users.create(
            app: world.appID,
            identifiers: [try CanonicalIdentifier(type: "email_address", value: "grace@example.com")],
            password: "correct horse battery")
        return world
    }

    @Test("The correct password signs in")
    func right() async throws {
        let client = try await world().client()
        let user = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "Grace@example.com", password: "correct horse battery"))
        #expect(user.profile.sessionID?.hasPrefix("ses_") == true)
    }

    // Proves: O9
    @Test("A wrong password, an unknown address and a user without a password get the same response")
    func wrong() async throws {
        let world = try await world()
        _ = try await world.signedIn("codes-only@example.com")
        let without = try await world.call(
            "/v1/session/login/email/password",
            json: #"{"identifier":"codes-only@example.com","password":"wrong horse"}"#)
        #expect(without.status == 401)
        let wrong = try await world.call(
            "/v1/session/login/email/password",
            json: #"{"identifier":"grace@example.com","password":"wrong horse"}"#)
        let unknown = try await world.call(
            "/v1/session/login/email/password",
            json: #"{"identifier":"nobody@example.com","password":"wrong horse"}"#)
        #expect(wrong.status == 401 && unknown.status == 401)
        #expect(wrong.body["code"] == without.body["code"])
        #expect(wrong.body["code"] == unknown.body["code"] && wrong.body["message"] == unknown.body["message"])
    }

    @Test("Attempts are counted before the comparison, so after three the correct password is limited too")
    func limited() async throws {
        let client = try await world().client()
        for _ in 1...3 {
            await #expect(throws: PreludeSessionError.self) {
                try await client.loginWithPassword(
                    LoginWithPasswordOptions(emailAddress: "grace@example.com", password: "wrong"))
            }
        }
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "grace@example.com", password: "correct horse battery"))
        }
        guard case .rateLimited = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(error?.retryAfter == 900)
    }

    @Test("The client checks a password by the app's rules")
    func policy() async throws {
        let client = try await world().client()
        #expect(try await client.passwordCompliancy().minLength == 12)
        let results = try await client.validatePassword("short")
        #expect(!results.valid)
        #expect(results.results.map(\.criterion) == [.minLength, .maxLength])
        #expect(results.results.first?.actual == 5)
    }
}
