import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import Testing

/// The product's change-password page, as an app developer writes it.
@Suite("Changing the password")
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

    private func isGood(_ password: String, in world: ServiceWorld) async throws -> Bool {
        do {
            _ = try await world.client().loginWithPassword(
                LoginWithPasswordOptions(emailAddress: Self.email, password: password))
            return true
        } catch PreludeSessionError.unauthorized {
            return false
        }
    }

    @Test("step up, change, and the new password is the one that signs in")
    func wholeStory() async throws {
        let world = try await world()
        let client = try await signedIn(world)
        #expect(try await !client.canChangePassword())
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        #expect(try await client.canChangePassword())
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await client.scopes() == [], "the scope is spent")
        #expect(try await isGood(Self.new, in: world))
        #expect(try await !isGood(Self.old, in: world))
    }

    @Test("S3: one grant changes the password once")
    func once() async throws {
        let world = try await world()
        let client = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        let token = try #require(await client.accessToken)
        try await client.changePassword(RedactedString(Self.new))
        let again = try await reset(world, token: token, to: "another long password")
        #expect(again.status == 403)
        #expect(again.code == "insufficient_scope")
        #expect(try await isGood(Self.new, in: world))
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

    @Test("two changes that race on one grant are one success and refusals", arguments: [2, 16])
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

    @Test("a password that breaks a rule is refused and consumes nothing")
    func invalid() async throws {
        let world = try await world { $0.passwordLogin?.policy.minLength = 12 }
        let client = try await signedIn(world)
        try await client.stepUp("prld:pwd:write", in: world, email: Self.email)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.changePassword(RedactedString("short"))
        }
        guard case .invalidPassword = error else { return #expect(Bool(false), "\(String(describing: error))") }
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await isGood(Self.new, in: world))
    }

    @Test("without the scope it is refused")
    func withoutScope() async throws {
        let client = try await signedIn(try await world())
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.changePassword(RedactedString(Self.new))
        }
        guard case .insufficientScope = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test("the user's other sessions end, this one goes on", arguments: [true, false])
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

    @Test("O12: a code that was on its way before the change is dead after it")
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

    @Test("the scope of a login by code lasts ten minutes, not the session's life")
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

    @Test("forgotten password: a login by code that grants the scope sets a new one")
    func forgotten() async throws {
        let world = try await ServiceWorld { app in
            app.scopes = ["prld:pwd:write"]
            for index in app.otpLogins.indices { app.otpLogins[index].grantedScopes = app.scopes }
        }
        let client = try await world.signedIn(Self.email)
        try await client.changePassword(RedactedString(Self.new))
        #expect(try await isGood(Self.new, in: world))
    }
}
