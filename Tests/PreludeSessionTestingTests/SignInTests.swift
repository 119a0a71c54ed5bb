import PreludeSession
import PreludeSessionTesting
import Testing

/// An app's unit tests, as its developer writes them.
@Suite("An app that signs in")
struct SignInTests {
    @Test("signs in with the code that was sent")
    func code() async throws {
        let service = try await TestService()
        let client = try service.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .phoneNumber, value: "+33 6 12 34 56 78")))
        let user = try await client.checkOTP(try service.code(for: "+33612345678"))
        #expect(await client.profile?.userID == user.profile.userID)
        #expect(service.mailbox.map(\.type) == [.phoneNumber])
    }

    @Test("signs in with a password")
    func password() async throws {
        let service = try await TestService()
        let id = try await service.createUser(email: "ada@example.com", password: "correct horse battery")
        let client = try service.client()
        let user = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "correct horse battery"))
        #expect(user.profile.userID == id)
    }
}
