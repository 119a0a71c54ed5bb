import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

/// The hosted product's documentation for step-ups, as an app developer applies it.
@Suite("Stepping up for a scope")
struct StepUpStory {
    private static let hook = "https://bank.example.com/step-up"

    private func world(answering json: String) async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        world.operatorEndpoints.serve(Self.hook, json: json)
        let config = try await world.manage(
            "/config/stepup",
            json: """
                {"jwks_url": "https://example.com/.well-known/jwks.json", "step_keys": [], "allowed_scopes": [
                  {"scope": "transfer:write", "mode": "delegated", "delegated": {"delegation_hook": "\(Self.hook)"}}]}
                """)
        try #require(config.status == 201)
        try await world.register("transfer:write")
        return world
    }

    private static let review = """
        {"status": "review", "granted_for": 300, "grant_mode": "single-use",
         "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 600}]}
        """

    @Test("After a request and a code the access token contains the scope")
    func wholeStory() async throws {
        let world = try await world(answering: Self.review)
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
        let world = try await world(answering: Self.review)
        let client = try await world.signedIn()
        let before = world.mailbox.messages.count
        _ = try await client.requestStepUp(scope: "transfer:write")
        #expect(world.mailbox.messages.count == before)
    }

    @Test("The hook receives the user and the scope, signed with a key of the app")
    func hookBody() async throws {
        let world = try await world(answering: Self.review)
        let client = try await world.signedIn()
        _ = try await client.requestStepUp(scope: "transfer:write", metadata: ["amount": "250"])
        let request = try #require(world.operatorEndpoints.requests.first)
        let body = try JSONDecoder().decode([String: PreludeJSONValue].self, from: request.body)
        #expect(body["scope_requested"] == .string("transfer:write"))
        #expect(body["user_id"] == .string(try #require(await client.profile?.userID)))
        #expect(
            body["identifiers"]
                == .array([.object(["type": .string("email_address"), "value": .string("ada@example.com")])]))
        #expect(body["metadata"] == .object(["amount": .string("250")]))
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(headers["User-Agent"] == "Prelude-SessionStepUpHook/1.0")
        let keys = try await world.call("/.well-known/jwks.json").body["keys"]
        guard case .array(let published) = keys else { return #expect(Bool(false), "no keys") }
        let ids = published.compactMap { key in
            if case .object(let members) = key, members["kty"] == .string("RSA") { members["kid"] } else { nil }
        }
        #expect(ids == [.string(try #require(headers["X-Webhook-Signature-Key-Id"]))])
    }

    @Test("A scope that is granted at once is in the token when the call returns")
    func immediate() async throws {
        let world = try await world(
            answering: #"{"status": "continue", "granted_for": 60, "grant_mode": "session-bound"}"#)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        #expect(challenge.status == .continue && challenge.currentStep == "completed")
        #expect(try await client.scopes() == ["transfer:write"])
    }

    @Test("A scope that the hook denies is blocked, and its challenge cannot be continued")
    func blocked() async throws {
        let world = try await world(answering: #"{"status": "block"}"#)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        #expect(challenge.status == .blocked && challenge.currentStep == nil)
        await #expect(throws: PreludeSessionError.self) { try await client.sendStepUpOTP(challenge) }
    }

    @Test("A hook that fails denies the scope and records the reason in an event")
    func failClosed() async throws {
        let world = try await world(answering: #"{"status": "perhaps"}"#)
        let client = try await world.signedIn()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.requestStepUp(scope: "transfer:write")
        }
        guard case .forbidden = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let event = try #require(try await world.service.store.events(app: world.appID, limit: 1, offset: 0).first)
        #expect(event.name == .stepUpHookFailed)
        #expect(event.data["reason"] == .string("invalid_status"))
    }

    @Test("A challenge survives five wrong codes, and the sixth attempt is rejected with any code")
    func wrongCodes() async throws {
        let world = try await world(answering: Self.review)
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
        let world = try await world(answering: Self.review)
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
        let world = try await world(
            answering: """
                {"status": "review", "granted_for": 300, "grant_mode": "single-use",
                 "steps": [{"order": 1, "key": "verify_email", "expiration_duration": 60}]}
                """)
        let store = InMemoryCredentialStore()
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
        let world = try await world(answering: Self.review.replacing("single-use", with: "session-bound"))
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
        let world = try await world(answering: Self.review)
        let client = try await world.signedIn()
        try await client.stepUp("transfer:write", in: world)
        try await client.invalidateSession()
        _ = try await client.refresh()
        #expect(try await client.scopes() == [])
    }

    @Test("A lost response to the completing refresh loses neither the session nor the scope")
    func lostAnswer() async throws {
        let world = try await world(answering: Self.review)
        let faults = Faults()
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
        let world = try await world(answering: Self.review)
        let faults = Faults()
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
        let world = try await world(answering: Self.review)
        let store = InMemoryCredentialStore()
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
