import PreludeSession
import PreludeSessionTesting
import Testing

@Suite("Step-ups after failures and relaunches", .eachStore)
struct StepUpRecoveryStory {
    @Test("A lost response to the completing refresh loses neither the session nor the scope")
    func lostAnswer() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let faults = TestService.Faults()
        let client = try await world.signedIn(faults: faults)
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(challenge)
        faults.inject(.dropAnswer, on: .refresh)
        #expect(try await client.submitStepUpOTP(challenge, code: try world.code(for: "ada@example.com")) == nil)
        #expect(try await client.scopes() == ["transfer:write"])
        #expect(try await world.eventNames().filter { $0 == "step_up.granted" }.count == 1)
    }

    @Test("If the network fails at completion, the steps stay completed and the same call continues")
    func offlineAtCompletion() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let faults = TestService.Faults()
        let client = try await world.signedIn(faults: faults)
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(challenge)
        let code = try world.code(for: "ada@example.com")
        faults.interrupt(.checkOTP) { faults.isOffline = true }
        await #expect(throws: PreludeSessionError.self) { try await client.submitStepUpOTP(challenge, code: code) }
        faults.isOffline = false
        #expect(try await client.submitStepUpOTP(challenge, code: code) == nil)
        #expect(try await client.scopes() == ["transfer:write"])
    }

    @Test("A step-up survives a relaunch of the app")
    func relaunch() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let store = PreludeInMemoryCredentialStore()
        let before = try await world.signedIn(store: store)
        let challenge = try await before.requestStepUp(scope: "transfer:write")
        try await before.sendStepUpOTP(challenge)
        let after = try world.client(store: store)
        let restored = try #require(await after.activeStepUp)
        #expect(restored.challengeID == challenge.challengeID)
        #expect(try await after.submitStepUpOTP(restored, code: try world.code(for: "ada@example.com")) == nil)
        #expect(try await after.scopes() == ["transfer:write"])
    }
}
