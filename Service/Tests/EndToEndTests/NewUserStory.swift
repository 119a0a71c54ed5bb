import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

@Suite("Whether a login created the user", .eachStore)
struct NewUserStory {
    // Proves: O31
    @Test("The login that creates a user says so, and no later login and no refresh does")
    func signUp() async throws {
        let world = try await ServiceWorld()
        let client = try world.client()
        let first = try await world.signIn(client)
        #expect(first.isNewUser)
        #expect(try await !client.refresh().isNewUser)
        try await client.invalidateSession()
        #expect(try await !client.refresh().isNewUser)
        #expect(try await !world.signIn(client).isNewUser)
        #expect(try await !world.signIn(try world.client()).isNewUser)
    }

    @Test(
        "If a request or response of a login is lost, the same code still says that the user is new",
        arguments: [TestService.Fault.dropRequest, .dropAnswer], [TestService.Call.checkOTP, .finalizeLogin])
    func lostResponse(fault: TestService.Fault, call: TestService.Call) async throws {
        let world = try await ServiceWorld()
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        let code = try world.code(for: "ada@example.com")
        faults.inject(fault, on: call, times: 2)
        await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        #expect(try await client.checkOTP(code).isNewUser)
    }

    @Test("A user of the operator is not new, with a code and with a password")
    func created() async throws {
        let world = try await ServiceWorld()
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: "ada@example.com")],
            password: "staple crystal lantern")
        let client = try world.client()
        #expect(try await !world.signIn(client).isNewUser)
        let user = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "staple crystal lantern"))
        #expect(!user.isNewUser)
    }
}
