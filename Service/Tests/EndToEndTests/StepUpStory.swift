import PreludeSession
import PreludeSessionTesting
import SessionHTTP
import Testing

/// The hosted product's documentation for step-ups, as an app developer applies it.
@Suite("Stepping up for a scope", .eachStore)
struct StepUpStory {
    @Test("After a request and a code the access token contains the scope")
    func wholeStory() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write", metadata: ["amount": "250"])
        #expect(challenge.status == .underReview)
        #expect(challenge.currentStep == "verify_email")
        #expect(challenge.requestedScope == "transfer:write")
        #expect(await client.activeStepUp == challenge)
        let before = world.mailbox.messages.count
        try await client.sendStepUpOTP(challenge)
        #expect(world.mailbox.messages.count == before + 1)
        #expect(try await client.scopes() == [])
        #expect(try await client.submitStepUpOTP(challenge, code: try world.code(for: "ada@example.com")) == nil)
        #expect(try await client.scopes() == ["transfer:write"])
        #expect(await client.activeStepUp == nil)
        #expect(try await world.eventNames().suffix(1) == ["step_up.granted"])
    }

    @Test("No code is sent before the client requests it")
    func deliveryIsTheClients() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let client = try await world.signedIn()
        let before = world.mailbox.messages.count
        _ = try await client.requestStepUp(scope: "transfer:write")
        #expect(world.mailbox.messages.count == before)
    }

    @Test("A challenge survives five wrong codes, and the sixth attempt is rejected with any code")
    func wrongCodes() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(challenge)
        let code = try world.code(for: "ada@example.com")
        let wrong = code == "000000" ? "111111" : "000000"
        for _ in 1...5 {
            let error = await #expect(throws: PreludeSessionError.self) {
                try await client.submitStepUpOTP(challenge, code: wrong)
            }
            guard case .invalidOTPCode = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
        let dead = await #expect(throws: PreludeSessionError.self) {
            try await client.submitStepUpOTP(challenge, code: code)
        }
        guard case .invalidChallengeToken = dead else { return #expect(Bool(false), "\(String(describing: dead))") }
        #expect(try await client.refresh().profile.userID != nil, "the session is still valid")
    }

    @Test("A correct code after four wrong codes is accepted")
    func patience() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(challenge)
        let code = try world.code(for: "ada@example.com")
        for _ in 1...4 {
            await #expect(throws: PreludeSessionError.self) {
                try await client.submitStepUpOTP(challenge, code: code == "000000" ? "111111" : "000000")
            }
        }
        #expect(try await client.submitStepUpOTP(challenge, code: code) == nil)
    }

    @Test("The service rejects a code for an expired step like a wrong code")
    func expired() async throws {
        let world = try await ServiceWorld.withStepUpHook(
            answering: """
                {"status": "review", "granted_for": 300, "grant_mode": "single-use",
                 "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 60}]}
                """)
        let store = PreludeInMemoryCredentialStore()
        let client = try await world.signedIn(store: store)
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        try await client.sendStepUpOTP(challenge)
        let code = try world.code(for: "ada@example.com")
        world.clock.advance(seconds: 61)
        // The SDK knows that the step has expired and sends no request.
        let known = await #expect(throws: PreludeSessionError.self) {
            try await client.submitStepUpOTP(challenge, code: code)
        }
        guard case .expiredChallengeToken = known else { return #expect(Bool(false), "\(String(describing: known))") }
        // A device whose clock is behind sends the request and gets the error for a wrong code.
        let slow = try world.client(store: store, clockSkew: -61)
        let asked = await #expect(throws: PreludeSessionError.self) {
            try await slow.submitStepUpOTP(challenge, code: code)
        }
        guard case .invalidOTPCode = asked else { return #expect(Bool(false), "\(String(describing: asked))") }
    }

    @Test("Two concurrent step-ups of one client are independent")
    func concurrentFlows() async throws {
        let world = try await ServiceWorld.withStepUpHook(
            answering: ServiceWorld.reviewByCode.replacing("single-use", with: "session-bound"))
        let client = try await world.signedIn()
        let first = try await client.requestStepUp(scope: "transfer:write")
        let second = try await client.requestStepUp(scope: "transfer:write")
        #expect(first.challengeID != second.challengeID)
        try await client.sendStepUpOTP(second)
        let secondCode = try world.code(for: "ada@example.com")
        try await client.sendStepUpOTP(first)
        #expect(try await client.submitStepUpOTP(second, code: secondCode) == nil)
        #expect(try await client.submitStepUpOTP(first, code: try world.code(for: "ada@example.com")) == nil)
        #expect(try await client.scopes() == ["transfer:write"])
    }

    @Test("A single-use scope ends with the next refresh")
    func singleUse() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
        let client = try await world.signedIn()
        try await client.stepUp("transfer:write", in: world)
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(try await client.scopes() == [])
    }
}
