import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

/// A user who has forgotten the password signs in with a code and sets a new one.
@Suite("Resetting a forgotten password", .eachStore)
struct ResetPasswordStory {
    private static let email = "grace@example.com"
    private static let (old, new) = ("correct horse battery", "staple crystal lantern")

    /// - Parameter grants: Whether the login for a forgotten password grants the change.
    private func world(grants: Bool = true) async throws -> ServiceWorld {
        let world = try await ServiceWorld { app in
            app.scopes = [ReservedScope.writePassword]
            var reset = OTPLoginConfig(id: "lcfg_reset", channel: .email, isDefault: false, at: app.createdAt)
            if grants { reset.grantedScopes = [ReservedScope.writePassword] }
            app.otpLogins.append(reset)
        }
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: Self.email)],
            password: Self.old)
        return world
    }

    private func start(_ client: PreludeSessionClient, in world: ServiceWorld) async throws -> String {
        try await client.startOTPLogin(
            StartOTPLoginOptions(
                identifier: PreludeIdentifier(type: .emailAddress, value: Self.email), loginConfigID: "lcfg_reset"))
        return try world.code(for: Self.email)
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

    @Test("One code signs in and sets the password, and ends the other sessions")
    func wholeStory() async throws {
        let world = try await world()
        let stolen = try await world.signedIn(Self.email)
        let client = try world.client()
        let code = try await start(client, in: world)
        let user = try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
        #expect(user.userID == (await client.profile)?.userID)
        #expect(!user.isNewUser)
        #expect(try await client.listSessions().total == 1)
        #expect(try await canSignIn(with: Self.new, in: world))
        #expect(try await !canSignIn(with: Self.old, in: world))
        try await stolen.invalidateSession()
        await #expect(throws: PreludeSessionError.self) { try await stolen.refresh() }
        #expect(try await !client.canChangePassword(), "the reset uses the scope up")
    }

    @Test("A password that breaks a rule does not use the code up, and neither does a wrong code the password")
    func invalidInput() async throws {
        let world = try await world()
        let client = try world.client()
        let code = try await start(client, in: world)
        let short = await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString("x"))
        }
        guard case .invalidPassword = short else { return #expect(Bool(false), "\(String(describing: short))") }
        #expect(await client.profile == nil)
        let wrong = await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(
                code: code == "000000" ? "000001" : "000000", newPassword: RedactedString(Self.new))
        }
        guard case .invalidOTPCode = wrong else { return #expect(Bool(false), "\(String(describing: wrong))") }
        try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
        #expect(try await canSignIn(with: Self.new, in: world))
    }

    @Test("After a common password, or a lost request, the same call with the same code continues")
    func continues() async throws {
        let world = try await world()
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        let code = try await start(client, in: world)
        let common = await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString("password1"))
        }
        guard case .invalidPassword = common else { return #expect(Bool(false), "\(String(describing: common))") }
        #expect(await client.profile != nil, "the code was right")
        faults.inject(.dropRequest, on: .changePassword)
        await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
        }
        try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
        #expect(try await canSignIn(with: Self.new, in: world))
    }

    @Test("Only the code that began the session continues a reset: another code changes no password")
    func otherCode() async throws {
        let world = try await world()
        let store = PreludeInMemoryCredentialStore()
        let client = try world.client(store: store)
        let code = try await start(client, in: world)
        await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString("password1"))
        }
        #expect(try await client.canChangePassword(), "the session could change the password")
        let relaunched = try world.client(store: store)
        for (client, code) in [(client, code == "000000" ? "000001" : "000000"), (relaunched, code)] {
            let error = await #expect(throws: PreludeSessionError.self) {
                try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
            }
            guard case .unauthorized = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(error?.needsNewCode == true)
        }
        #expect(try await canSignIn(with: Self.old, in: world))
        // Typed in another way, it is the same code.
        try await client.resetPassword(
            code: code.prefix(3) + " " + code.suffix(3), newPassword: RedactedString(Self.new))
        #expect(try await canSignIn(with: Self.new, in: world))
    }

    @Test("A code does not continue in the session of a later login")
    func laterLogin() async throws {
        let world = try await world()
        let client = try world.client()
        let code = try await start(client, in: world)
        await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString("password1"))
        }
        world.clock.advance(seconds: 30)
        let later = try await start(client, in: world)
        _ = try await client.checkOTP(later)
        #expect(try await client.canChangePassword())
        await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
        }
        #expect(try await canSignIn(with: Self.old, in: world))
    }

    @Test("If the login does not grant the scope, the error says so, and the user is signed in")
    func withoutGrant() async throws {
        let world = try await world(grants: false)
        let client = try world.client()
        let code = try await start(client, in: world)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: code, newPassword: RedactedString(Self.new))
        }
        guard case .insufficientScope = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(await client.profile != nil)
        #expect(try await canSignIn(with: Self.old, in: world))
    }

    @Test("Without a started login there is nothing to reset")
    func notStarted() async throws {
        let client = try await world().client()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.resetPassword(code: "123456", newPassword: RedactedString(Self.new))
        }
        guard case .unauthorized = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
}
