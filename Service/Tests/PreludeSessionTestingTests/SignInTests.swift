import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

/// Unit tests of signing in, as the developer of an app writes them.
@Suite("An app that signs in")
struct SignInTests {
    @Test("A user signs in with the code that was sent, with any spelling of the number")
    func code() async throws {
        let service = try await TestService()
        let client = try service.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .phoneNumber, value: "+33 6 12 34 56 78")))
        let user = try await client.checkOTP(try service.code(for: "+33612345678"))
        #expect(await client.profile?.userID == user.profile.userID)
        #expect(service.mailbox.map(\.type) == [.phoneNumber])
    }

    @Test("A code is sent again after the delay")
    func resend() async throws {
        let service = try await TestService()
        let client = try service.client()
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: "ada@example.com")))
        service.clock.advance(by: .seconds(31))
        try await client.resendOTP()
        #expect(service.mailbox.count == 2)
        #expect(service.mailbox[0].sentAt.timeIntervalSince(service.mailbox[1].sentAt) == 31)
        _ = try await client.checkOTP(try service.code(for: "ada@example.com"))
    }

    @Test("A user signs in with a password")
    func password() async throws {
        let service = try await TestService()
        let id = try await service.createUser(email: "ada@example.com", password: "correct horse battery")
        let client = try service.client()
        let user = try await client.loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "correct horse battery"))
        #expect(user.profile.userID == id)
    }

    @Test("A wrong password is rejected")
    func wrongPassword() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com", password: "correct horse battery")
        let client = try service.client()
        await #expect {
            try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "correct horse batterx"))
        } throws: {
            if case PreludeSessionError.unauthorized = $0 { true } else { false }
        }
    }

    @Test("Without sign-up, only existing users get codes")
    func noSignUp() async throws {
        let service = try await TestService(signUp: false)
        try await service.createUser(email: "ada@example.com", phone: "+14155551234")
        _ = try await service.signedIn("ada@example.com")
        _ = try await service.signedIn("+1 415 555 1234")
        await #expect(throws: TestServiceError.self) { try await service.signedIn("eve@example.com") }
    }

    // Proves: E12
    @Test("A device clock that is hours off does not affect the session", arguments: [-7200.0, 7200])
    func clockSkew(seconds: Double) async throws {
        let service = try await TestService()
        let client = try await service.signedIn(clockSkew: seconds)
        service.clock.advance(by: .seconds(301))
        try await client.refresh()
        #expect(service.count(.refresh) >= 1)
    }
}
