import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionTokens
import Testing

@Suite("Step-up hooks", .eachStore)
struct StepUpHookStory {
    @Test("The hook receives the user and the scope, signed with a key of the app")
    func hookBody() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: ServiceWorld.reviewByCode)
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
        let world = try await ServiceWorld.withStepUpHook(
            answering: #"{"status": "continue", "granted_for": 60, "grant_mode": "session-bound"}"#)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        #expect(challenge.status == .continue && challenge.currentStep == "completed")
        #expect(try await client.scopes() == ["transfer:write"])
    }

    @Test("A scope that the hook denies is blocked, and its challenge cannot be continued")
    func blocked() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: #"{"status": "block"}"#)
        let client = try await world.signedIn()
        let challenge = try await client.requestStepUp(scope: "transfer:write")
        #expect(challenge.status == .blocked && challenge.currentStep == nil)
        await #expect(throws: PreludeSessionError.self) { try await client.sendStepUpOTP(challenge) }
    }

    @Test("A hook that fails denies the scope and records the reason in an event")
    func failClosed() async throws {
        let world = try await ServiceWorld.withStepUpHook(answering: #"{"status": "perhaps"}"#)
        let client = try await world.signedIn()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.requestStepUp(scope: "transfer:write")
        }
        guard case .forbidden = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let event = try #require(try await world.service.store.events(app: world.appID, limit: 1, offset: 0).first)
        #expect(event.name == .stepUpHookFailed)
        #expect(event.data["reason"] == .string("invalid_status"))
    }
}
