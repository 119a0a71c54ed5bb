import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import Testing

@Suite("Registering an identifier", .eachStore)
struct RegisterIdentifierStory {
    private static let phone = "+14155550111"

    private func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        let config = try await world.manage(
            "/config/stepup",
            json: """
                {"allowed_scopes": [{"scope": "prld:phone:register", "mode": "managed"},
                    {"scope": "prld:email:register", "mode": "managed"}]}
                """)
        try #require(config.status == 201)
        try await world.register("prld:phone:register")
        try await world.register("prld:email:register")
        return world
    }

    @Test("The code is sent to the new number, and only the correct code adds the number")
    func wholeStory() async throws {
        let world = try await world()
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(
            scope: "prld:phone:register", metadata: ["identifier": "+1 415 555 0111"])
        #expect(challenge.currentStep == "verify_sms")
        try await client.sendStepUpOTP(challenge)
        #expect(world.mailbox.messages.first?.to == Self.phone)
        let code = try world.code(for: Self.phone)
        await #expect(throws: PreludeSessionError.self) {
            try await client.submitStepUpOTP(challenge, code: code == "000000" ? "111111" : "000000")
        }
        #expect(try await client.fetchIdentifiers().map(\.value) == ["ada@example.com"])
        #expect(try await client.submitStepUpOTP(challenge, code: code) == nil)
        #expect(try await client.fetchIdentifiers().map(\.value) == ["ada@example.com", Self.phone])
        #expect(try await world.eventNames().contains("user.identifier.created"))
    }

    @Test("Only a user with the number's code learns that another user has the number")
    func taken() async throws {
        let world = try await world()
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "phone_number", value: Self.phone)])
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(
            scope: "prld:phone:register", metadata: ["identifier": Self.phone])
        try await client.sendStepUpOTP(challenge)
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.submitStepUpOTP(challenge, code: try world.code(for: Self.phone))
        }
        guard case .conflict = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await client.fetchIdentifiers().map(\.value) == ["ada@example.com"])
    }

    @Test(
        "A missing or invalid new value is rejected",
        arguments: [
            nil, "", "not-a-number", "ada@example.com",
        ])
    func badValue(value: String?) async throws {
        let client = try await world().signedIn()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.requestStepUp(
                scope: "prld:phone:register", metadata: value.map { ["identifier": $0] })
        }
        guard case .badRequest(let message) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(message.text.contains("metadata.identifier"))
    }
}
