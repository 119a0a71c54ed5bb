import PreludeSessionTesting
import Testing

/// A mistake in a test gets an error that says what to do.
@Suite("Mistakes in a test")
struct MistakeTests {
    private func expect(
        _ remedy: String, _ location: SourceLocation = #_sourceLocation, from work: () async throws -> Void
    ) async {
        await #expect(sourceLocation: location) {
            try await work()
        } throws: {
            ($0 as? TestServiceError)?.description.contains(remedy) == true
        }
    }

    @Test("A code that was not sent is reported with the codes that were")
    func noCode() async throws {
        let service = try await TestService()
        _ = try await service.signedIn("ada@example.com")
        await expect("codes were sent to: ada@example.com. Call startOTPLogin") {
            _ = try service.code(for: "eve@example.com")
        }
        await expect("neither an e-mail address nor a phone number") { _ = try service.code(for: "ada") }
    }

    @Test("An unknown user is reported")
    func noUser() async throws {
        let service = try await TestService()
        await expect("sign in once, or call createUser first") {
            try await service.revokeEverything(of: "ada@example.com")
        }
        await expect("sign in once, or call createUser first") {
            try await service.revokeEverything(of: "usr_01h00000000000000000000000")
        }
    }

    @Test("A user that cannot be created is reported with the reason")
    func badUser() async throws {
        let service = try await TestService()
        try await service.createUser(email: "ada@example.com")
        await expect("needs an email, a phone or both") { try await service.createUser() }
        await expect("pass an email to createUser") {
            try await service.createUser(phone: "+14155551234", password: "long enough")
        }
        await expect("at least 8 characters") {
            try await service.createUser(email: "eve@example.com", password: "short")
        }
        await expect("use a different one for each user") { try await service.createUser(email: "ADA@example.com") }
    }

    @Test("Invalid settings are reported with the valid ones")
    func badSettings() async throws {
        let service = try await TestService()
        await expect("60 to 900 seconds") { _ = try await TestService(accessTokenLifetime: .seconds(59)) }
        await expect("letters, digits") { try await service.allow(scope: "transfer write") }
        await expect("1 second to a day") { try await service.allow(scope: "transfer:write", grantedFor: .zero) }
        await expect("different") {
            try await service.allow(scope: "transfer:write", steps: [.verifyEmail, .verifyEmail])
        }
    }
}
