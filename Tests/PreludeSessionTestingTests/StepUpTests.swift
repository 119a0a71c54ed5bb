import PreludeSession
import PreludeSessionTesting
import Testing

/// An app's unit tests of step-up, as its developer writes them.
@Suite("An app that asks for more")
struct StepUpTests {
    @Test("steps up with a code and changes the password")
    func changePassword() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com", password: "correct horse battery")
        try await service.allow(scope: "prld:pwd:write")
        let client = try await service.signedIn("ada@example.com")

        let challenge = try await client.requestStepUp(scope: "prld:pwd:write")
        try await client.sendStepUpOTP(challenge)
        let next = try await client.submitStepUpOTP(challenge, code: try service.code(for: "ada@example.com"))
        #expect(next == nil)
        #expect(try await client.canChangePassword())
        try await client.changePassword(RedactedString("staple crystal lantern"))

        _ = try await service.client().loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "staple crystal lantern"))
    }

    @Test("without the step-up the password stays")
    func noStepUp() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com", password: "correct horse battery")
        try await service.allow(scope: "prld:pwd:write")
        let client = try await service.signedIn("ada@example.com")
        #expect(try await !client.canChangePassword())
        await #expect {
            try await client.changePassword(RedactedString("staple crystal lantern"))
        } throws: {
            if case PreludeSessionError.insufficientScope = $0 { true } else { false }
        }
    }

    @Test("does both steps in the order in which they were allowed")
    func twoSteps() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com", phone: "+14155551234")
        try await service.allow(scope: "transfer:write", steps: [.verifySMS, .verifyEmail], grantMode: .sessionBound)
        let client = try await service.signedIn("ada@example.com")
        let sms = try await client.requestStepUp(scope: "transfer:write")
        #expect(sms.currentStep == TestStep.verifySMS.rawValue)
        try await client.sendStepUpOTP(sms)
        let email = try #require(
            try await client.submitStepUpOTP(sms, code: try service.code(for: "+14155551234")))
        #expect(email.currentStep == TestStep.verifyEmail.rawValue)
        try await client.sendStepUpOTP(email)
        #expect(try await client.submitStepUpOTP(email, code: try service.code(for: "ada@example.com")) == nil)
    }

    @Test("a scope without steps is granted, a denied one is blocked, and the last word counts")
    func decisions() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        try await service.allow(scope: "transfer:write", steps: [])
        #expect(try await client.requestStepUp(scope: "transfer:write").status == .continue)
        try await service.deny(scope: "transfer:write")
        #expect(try await client.requestStepUp(scope: "transfer:write").status == .blocked)
    }

    @Test("an allowed scope leaves the one before it allowed")
    func twoScopes() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        try await service.allow(scope: "transfer:write")
        try await service.allow(scope: "profile:delete")
        for scope in ["transfer:write", "profile:delete"] {
            #expect(try await client.requestStepUp(scope: scope).status == .underReview)
        }
    }
}
