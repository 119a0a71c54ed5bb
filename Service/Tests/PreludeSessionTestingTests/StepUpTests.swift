import PreludeSession
import PreludeSessionTesting
import Testing

/// Unit tests of step-ups, as the developer of an app writes them.
@Suite("An app that steps up")
struct StepUpTests {
    @Test("After a step-up with a code the password changes")
    func changePassword() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com", password: "correct horse battery")
        try await service.allow(scope: "prld:pwd:write")
        let client = try await service.signedIn("ada@example.com")

        try await client.stepUp(scope: "prld:pwd:write") { _, _ in .code(try service.code(for: "ada@example.com")) }
        #expect(try await client.canChangePassword())
        try await client.changePassword(RedactedString("staple crystal lantern"))

        _ = try await service.client().loginWithPassword(
            LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "staple crystal lantern"))
    }

    @Test("Without a step-up the password does not change")
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

    @Test("Two steps are completed in the configured order")
    func twoSteps() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com", phone: "+14155551234")
        try await service.allow(scope: "transfer:write", steps: [.verifySMS, .verifyEmail], grantMode: .sessionBound)
        let client = try await service.signedIn("ada@example.com")
        let sms = try await client.requestStepUp(scope: "transfer:write")
        #expect(sms.currentStep == TestService.Step.verifySMS.rawValue)
        try await client.sendStepUpOTP(sms)
        let email = try #require(
            try await client.submitStepUpOTP(sms, code: try service.code(for: "+14155551234")))
        #expect(email.currentStep == TestService.Step.verifyEmail.rawValue)
        try await client.sendStepUpOTP(email)
        #expect(try await client.submitStepUpOTP(email, code: try service.code(for: "ada@example.com")) == nil)
    }

    @Test("One call completes code steps and custom steps", arguments: [true, false])
    func ownStep(isFirst: Bool) async throws {
        let service = try await TestService()
        let steps = [TestService.Step.own("check_id"), .verifyEmail]
        try await service.allow(scope: "transfer:write", steps: isFirst ? steps : steps.reversed())
        let client = try await service.signedIn()
        var done: [String?] = []
        try await client.stepUp(scope: "transfer:write") { challenge, _ in
            done.append(challenge.currentStep)
            return .code(try service.code(for: "ada@example.com"))
        } ownStep: { challenge in
            done.append(challenge.currentStep)
            return try await service.verificationToken(for: challenge, as: client)
        }
        #expect(done == (isFirst ? ["check_id", "verify_email"] : ["verify_email", "check_id"]))
        #expect(try await client.refresh().profile.extras["scope"] == .string("transfer:write"))
    }

    @Test("Only the challenged user can complete a custom step, and a code step is not a custom step")
    func othersStep() async throws {
        let service = try await TestService()
        try await service.allow(scope: "transfer:write", steps: [.own("check_id"), .verifyEmail])
        let (ada, eve) = (try await service.signedIn(), try await service.signedIn("eve@example.com"))
        let challenge = try await ada.requestStepUp(scope: "transfer:write")
        let stolen = try await service.verificationToken(for: challenge, as: eve)
        await #expect {
            _ = try await ada.continueStepUp(challenge, verificationToken: stolen)
        } throws: {
            if case PreludeSessionError.invalidChallengeToken = $0 { true } else { false }
        }
        try await service.allow(scope: "transfer:write")
        let code = try await ada.requestStepUp(scope: "transfer:write")
        await #expect(throws: TestServiceError.self) { try await service.verificationToken(for: code, as: ada) }
    }

    @Test("A scope without steps is granted, a denied scope is blocked, and the last setting applies")
    func decisions() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        try await service.allow(scope: "transfer:write", steps: [])
        #expect(try await client.requestStepUp(scope: "transfer:write").status == .continue)
        try await service.deny(scope: "transfer:write")
        #expect(try await client.requestStepUp(scope: "transfer:write").status == .blocked)
    }

    @Test("Allowing a second scope keeps the first one allowed")
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
