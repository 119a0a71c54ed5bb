import PreludeSession
import PreludeSessionTesting
import Testing

@testable import PreludeSessionUI

/// A change of the password, through the real SDK and the real service.
@MainActor @Suite("The model of a new password")
struct NewPasswordModelTests {
    private let email = "ada@example.com"
    private let password = "staple crystal lantern"

    private func signedIn() async throws -> (TestService, PreludeSessionClient) {
        let service = try await TestService()
        try await service.createUser(email: email, password: "correct horse battery")
        try await service.allow(scope: NewPasswordModel.scope)
        return (service, try await service.signedIn(email))
    }

    private func stepUp(_ client: PreludeSessionClient, _ service: TestService) async throws {
        let challenge = try await client.requestStepUp(scope: NewPasswordModel.scope)
        try await client.sendStepUpOTP(challenge)
        _ = try await client.submitStepUpOTP(challenge, code: try service.code(for: email))
    }

    @Test("Each change is checked against the app's rules without a request")
    func rules() async throws {
        let (service, client) = try await signedIn()
        let model = NewPasswordModel(client: client)
        #expect(model.rules.isEmpty)
        await model.loadRules()
        let minimum = try #require(model.rules.first { $0.criterion == .minLength })
        #expect(!minimum.isMet && !model.canSave)
        #expect(minimum.text == SessionUIText(.minimumLength, .count(minimum.expected)))
        model.password = String(repeating: "é", count: minimum.expected - 1)
        #expect(!model.canSave)
        model.password += "é"
        #expect(model.rules.allSatisfy(\.isMet) && model.canSave)
        #expect(service.count(.passwordCompliancy) == 1)
    }

    @Test("A change without the scope asks for a step-up, and succeeds after it")
    func stepUp() async throws {
        let (service, client) = try await signedIn()
        var saves = 0
        let model = NewPasswordModel(client: client) { saves += 1 }
        model.password = password
        await model.save()
        #expect(model.phase == .needsStepUp && model.message == nil && saves == 0)
        try await stepUp(client, service)
        await model.save()
        #expect(model.phase == .saved && saves == 1)
        #expect(model.password == "" && model.message == SessionUIText(.passwordChanged) && !model.isProblem)
        _ = try await service.client().loginWithPassword(
            LoginWithPasswordOptions(emailAddress: email, password: password))
    }

    @Test("A cancelled step-up returns to the field with the password")
    func cancelled() async throws {
        let (_, client) = try await signedIn()
        let model = NewPasswordModel(client: client)
        model.password = password
        await model.save()
        model.cancelStepUp()
        #expect(model.phase == .editing && model.password == password && model.canSave)
    }

    @Test("A password that only the service rejects is reported, and can be changed")
    func rejected() async throws {
        let (service, client) = try await signedIn()
        try await stepUp(client, service)
        let model = NewPasswordModel(client: client)
        // Common, which only the service knows.
        model.password = "password123"
        await model.save()
        #expect(model.phase == .editing && model.isProblem)
        #expect(model.message == SessionUIText(PreludeSessionMessage(.weakPassword)))
        model.password = password
        #expect(model.message == nil)
        await model.save()
        #expect(model.phase == .saved)
    }

    @Test("Without a connection the rules are missing, and the password is kept")
    func offline() async throws {
        let (service, client) = try await signedIn()
        service.faults.isOffline = true
        let model = NewPasswordModel(client: client)
        await model.loadRules()
        #expect(model.rules.isEmpty && model.message == SessionUIText(PreludeSessionMessage(.noConnection)))
        model.password = password
        await model.save()
        #expect(
            model.message == SessionUIText(PreludeSessionMessage(.noConnection)) && model.password == password
                && model.canSave)
    }
}
