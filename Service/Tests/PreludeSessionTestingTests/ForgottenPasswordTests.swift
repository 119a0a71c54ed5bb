import PreludeSession
import PreludeSessionTesting
import Testing

@Suite("A forgotten password in an app's tests")
struct ForgottenPasswordTests {
    @Test("A code to the user's address sets a new password")
    func reset() async throws {
        let service = try await TestService()
        try await service.createUser(email: "grace@example.com", password: "correct horse battery")
        let client = try service.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(
                identifier: PreludeIdentifier(type: .emailAddress, value: "grace@example.com"),
                loginConfigID: "lcfg_reset"))
        let user = try await client.resetPassword(
            code: try service.code(for: "grace@example.com"), newPassword: RedactedString("staple crystal lantern"))
        #expect(!user.isNewUser)
        let phone = try service.client()
        let again = try await phone.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "grace@example.com", password: "staple crystal lantern"))
        #expect(again.userID == user.userID)
    }
}
