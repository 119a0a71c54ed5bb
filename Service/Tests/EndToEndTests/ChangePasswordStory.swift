import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import Testing

/// The hosted product's documentation for changing a password, as an app developer applies it.
@Suite("Changing the password", .eachStore)
struct ChangePasswordStory {
    private static let email = "grace@example.com"
    private static let old = "correct horse battery"
    private static let new = "staple crystal lantern"

    private func world(configure: (inout App) -> Void = { _ in }) async throws -> ServiceWorld {
        let world = try await ServiceWorld(hasher: Argon2PasswordHasher.cheap(), configure: configure)
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: Self.email)],
            password: Self.old)
        try await world.allow("prld:pwd:write")
        return world
    }

    private func signedIn(_ world: ServiceWorld) async throws -> PreludeSessionClient {
        let client = try world.client()
        _ = try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: Self.email, password: Self.old))
        return client
    }

    private func canSignIn(with password: String, in world: ServiceWorld) async throws -> Bool {
        do {
            _ = try await world.client().loginWithPassword(
                LoginWithPasswordOptions(emailAddress: Self.email, password: password))
            return true
        } catch PreludeSessionError.unauthorized {
            return false
        }
    }

    @Test("After a step-up the password changes, and only the new one signs in")
    func wholeStory() async throws {
        let world = try await world()
        let client = try await signedIn(world)
        #expect(try await !client.canChangePassword())
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        #expect(try await client.canChangePassword())
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await client.scopes() == [], "the change consumes the scope")
        #expect(try await canSignIn(with: Self.new, in: world))
        #expect(try await !canSignIn(with: Self.old, in: world))
    }

    @Test("One grant changes the password once (S3)")
    func once() async throws {
        let world = try await world()
        let client = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        let token = try #require(await client.accessToken)
        try await client.changePassword(RedactedString(Self.new))
        let again = try await reset(world, token: token, to: "another long password")
        #expect(again.status == 403)
        #expect(again.code == "insufficient_scope")
        #expect(try await canSignIn(with: Self.new, in: world))
    }

    private func reset(
        _ world: ServiceWorld, token: String, to password: String
    ) async throws -> (status: Int, code: String?) {
        let answer = try await world.call(
            "/v1/session/me/password/reset", json: #"{"password": "\#(password)"}"#,
            headers: ["authorization": "Bearer \(token)"])
        guard case .string(let code) = answer.body["code"] else { return (answer.status, nil) }
        return (answer.status, code)
    }

    @Test("One of many concurrent changes with one grant succeeds", arguments: [2, 16])
    func race(count: Int) async throws {
        let world = try await world()
        let client = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        let token = try #require(await client.accessToken)
        let answers = try await withThrowingTaskGroup(of: (status: Int, code: String?).self) { group in
            for index in 0..<count {
                group.addTask { try await reset(world, token: token, to: "long password number \(index)") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 204 }.count == 1)
        #expect(answers.filter { $0.status == 403 && $0.code == "insufficient_scope" }.count == count - 1)
    }

    @Test("A password that breaks a rule is rejected and does not consume the grant")
    func invalid() async throws {
        let world = try await world { $0.passwordLogin?.policy.minLength = 12 }
        let client = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.changePassword(RedactedString("short"))
        }
        guard case .invalidPassword = error else { return #expect(Bool(false), "\(String(describing: error))") }
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await canSignIn(with: Self.new, in: world))
    }

    // Proves: O35
    @Test(
        "A common password is rejected and keeps the grant, unless the app allows such passwords",
        arguments: [true, false])
    func commonPassword(rejects: Bool) async throws {
        let world = try await world { $0.passwordLogin?.rejectsCommonPasswords = rejects }
        let client = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        let common = RedactedString("Password1")
        guard rejects else { return try await client.changePassword(common) }
        let error = await #expect(throws: PreludeSessionError.self) { try await client.changePassword(common) }
        guard case .invalidPassword(let text) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(text.text.hasPrefix("password is in a list of common and breached passwords"))
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await canSignIn(with: Self.new, in: world))
    }

    // Proves: O35
    @Test("An operator cannot set a common password or the user's name in clear text")
    func setByOperator() async throws {
        let world = try await world()
        let user = try await world.service.users.user(
            with: try CanonicalIdentifier(type: "email_address", value: Self.email), app: world.appID)
        for password in ["Password1", "Grace2026"] {
            await #expect(throws: Refusal.self) {
                _ = try await world.service.users.setPassword(
                    password, user: user.id, app: world.appID, ending: nil)
            }
            await #expect(throws: Refusal.self) {
                _ = try await world.service.users.create(
                    app: world.appID,
                    identifiers: [try CanonicalIdentifier(type: "email_address", value: "grace@example.org")],
                    password: password)
            }
        }
        #expect(try await canSignIn(with: Self.old, in: world))
    }

    @Test("A change without the scope is rejected")
    func withoutScope() async throws {
        let client = try await signedIn(try await world())
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.changePassword(RedactedString(Self.new))
        }
        guard case .insufficientScope = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test("A change ends the user's other sessions if the app says so, and never this one", arguments: [true, false])
    func otherSessions(end: Bool) async throws {
        let world = try await world { $0.passwordChangeEndsOtherSessions = end }
        let client = try await signedIn(world)
        let other = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        try await client.changePassword(RedactedString(Self.new))
        _ = try await client.listSessions()
        try await other.invalidateSession()
        if end {
            await #expect(throws: PreludeSessionError.self) { try await other.refresh() }
        } else {
            _ = try await other.refresh()
        }
    }

    @Test("A code that was sent before the change is invalid after it (O12)")
    func outstandingCodes() async throws {
        let world = try await world()
        let client = try await signedIn(world)
        let stranger = try world.client()
        try await stranger.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.email)))
        let outstanding = try world.code(for: Self.email)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        try await client.changePassword(RedactedString(Self.new))
        await #expect(throws: PreludeSessionError.self) { try await stranger.checkOTP(outstanding) }
    }

    @Test("A code login grants prld:pwd:write for ten minutes and other scopes for the session")
    func grantedByLogin() async throws {
        let world = try await ServiceWorld { app in
            app.scopes = ["prld:pwd:write", "reports:read"]
            for index in app.otpLogins.indices { app.otpLogins[index].grantedScopes = app.scopes }
        }
        let client = try await world.signedIn()
        #expect(try await client.scopes() == ["prld:pwd:write", "reports:read"])
        world.clock.advance(seconds: 601)
        _ = try await client.refresh()
        #expect(try await client.scopes() == ["reports:read"])
    }

    @Test("A user who forgot the password sets a new one after a code login that grants the scope")
    func forgotten() async throws {
        let world = try await ServiceWorld { app in
            app.scopes = ["prld:pwd:write"]
            for index in app.otpLogins.indices { app.otpLogins[index].grantedScopes = app.scopes }
        }
        let client = try await world.signedIn(Self.email)
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await canSignIn(with: Self.new, in: world))
    }
}
