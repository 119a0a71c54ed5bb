import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import Testing

@Suite("Signing in with a code", .eachStore)
struct SignInWithCodeStory {
    @Test("A new user signs in by e-mail, and again as the same user")
    func signUpThenSignIn() async throws {
        let world = try await ServiceWorld()
        let first = try await world.signedIn("Ada@Example.com")
        #expect(world.mailbox.messages.first?.to == "Ada@Example.com")
        let second = try world.client()
        try await second.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        let user = try await second.checkOTP(try world.code(for: "ada@example.com"))
        #expect(user.profile.userID == (await first.profile)?.userID)
        #expect(user.profile.sessionID != (await first.sessionID))
    }

    @Test("Each login has a new session id and ends the previous session of the device (R11)")
    func newSessionEachTime() async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        let first = try #require(await client.sessionID)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        _ = try await client.checkOTP(try world.code(for: "ada@example.com"))
        let second = try #require(await client.sessionID)
        #expect(second != first)
        #expect(try await client.listSessions().sessions.map(\.id) == [second])
    }

    @Test("A wrong code is rejected, and the correct code still works")
    func wrongCode() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .phoneNumber, value: "+14155551234")))
        let code = try world.code(for: "+14155551234")
        let wrong = code == "000000" ? "000001" : "000000"
        let error = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(wrong) }
        guard case .invalidOTPCode = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let user = try await client.checkOTP(code)
        #expect(user.profile.userID?.hasPrefix("usr_") == true)
    }

    @Test("A code works once")
    func codeWorksOnce() async throws {
        let world = try await ServiceWorld()
        let client = try await world.signedIn()
        let error = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP("123456") }
        #expect(error.map(isUnauthorized) == true)
    }

    @Test("After five wrong codes the correct code is invalid, and a resent code works")
    func fiveTries() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "eve@example.com")))
        let code = try world.code(for: "eve@example.com")
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 1...5 {
            await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(wrong) }
        }
        let error = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        guard case .invalidOTPCode = error else { return #expect(Bool(false), "\(String(describing: error))") }
        world.clock.advance(seconds: 31)
        try await client.resendOTP()
        _ = try await client.checkOTP(try world.code(for: "eve@example.com"))
    }

    @Test("Resending too early is rejected with the time to wait")
    func resendTooEarly() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "eve@example.com")))
        world.clock.advance(seconds: 10)
        let error = await #expect(throws: PreludeSessionError.self) { try await client.resendOTP() }
        guard case .rateLimited = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(error?.retryAfter == 20)
        #expect(error?.requestID?.hasPrefix("req_") == true)
    }

    @Test("If only finalizing a login fails, the same code continues the login")
    func finalizeIsRetried() async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        let code = try world.code(for: "ada@example.com")
        faults.inject(.dropRequest, on: .finalizeLogin, times: 2)
        let error = await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        #expect(error.map(isNetwork) == true)
        _ = try await client.checkOTP(code)
        #expect(world.count(.checkOTP) == 1)
    }

    // Proves: O9, O31
    @Test("With sign-up off, an unknown user gets the same response and no code")
    func signUpOff() async throws {
        let world = try await ServiceWorld { $0.signUp = false }
        let client = try world.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "who@example.com")))
        #expect(world.mailbox.messages.isEmpty)
    }
}
