import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import SessionHTTP
import SessionTokens
import Testing

@Suite("Proven logins that start no session")
struct FailedFinalizeTests {
    private static let browser = HTTPFields.of(("origin", EdgeWorld.allowedOrigin))
    private static let mail = "ada@example.com"

    /// Signs in up to the challenge token.
    private func challenge(_ world: EdgeWorld, codeChallenge: String? = nil) async throws -> String {
        let pkce = codeChallenge.map { #","code_challenge":"\#($0)""# } ?? ""
        let started = try await world.call(
            .post, "/v1/session/otp", [:],
            json: #"{"identifier":{"type":"email_address","value":"\#(Self.mail)"}\#(pkce)}"#)
        let token = try #require(started.header("x-verification-token"))
        let code = try #require(world.mailbox.messages.first?.code)
        let checked = try await world.call(
            .post, "/v1/session/otp/check", .of(("x-verification-token", token)), json: #"{"code":"\#(code)"}"#)
        return try #require(checked.members["challenge_token"]?.stringValue, "\(checked.text)")
    }

    private func finalize(_ world: EdgeWorld, _ challenge: String, verifier: String? = nil) async throws -> Int {
        let pkce = verifier.map { #","code_verifier":"\#($0)""# } ?? ""
        return try await world.call(
            .post, "/v1/session/login/finalize", Self.browser, json: #"{"challenge_token":"\#(challenge)"\#(pkce)}"#
        ).status
    }

    /// The reasons of all failed logins, oldest first.
    private func reasons(_ world: EdgeWorld) async throws -> [String?] {
        let events = try await world.service.store.events(app: nil, after: 0, limit: 1000).map(\.event)
        let failed = events.filter { $0.name == .loginFailed }
        #expect(failed.allSatisfy { $0.data["method"] == "otp_email" && $0.data["purpose"] == "login" })
        #expect(failed.allSatisfy { $0.data["user_id"] != nil && $0.context.ip != nil })
        return failed.map { $0.data["reason"]?.stringValue }
    }

    private func world() async throws -> EdgeWorld {
        try await EdgeWorld { $0.allowedOrigins = [EdgeWorld.allowedOrigin] }
    }

    // Proves: A1
    @Test("A challenge that is used twice, void, or of an inactive user is reported once, however often it is sent")
    func rejected() async throws {
        let world = try await world()
        let app = try TestApp.id()
        let reused = try await challenge(world)
        #expect(try await finalize(world, reused) == 200)
        for _ in 0..<3 { #expect(try await finalize(world, reused) == 409) }
        #expect(try await reasons(world) == ["reused_challenge"])

        let mail = try CanonicalIdentifier(type: "email_address", value: Self.mail)
        let user = try await world.service.users.user(with: mail, app: app)
        world.clock.advance(by: .seconds(60))
        let void = try await challenge(world)
        _ = try await world.service.users.endSessions(.all, of: user.id, app: app)
        for _ in 0..<3 { #expect(try await finalize(world, void) == 401) }
        #expect(try await reasons(world).last == "void_challenge")

        world.clock.advance(by: .seconds(60))
        let inactive = try await challenge(world)
        _ = try await world.service.users.setStatus(.inactive, user: user.id, app: app)
        for _ in 0..<3 { #expect(try await finalize(world, inactive) == 403) }
        #expect(try await reasons(world) == ["reused_challenge", "void_challenge", "inactive_user"])
    }

    @Test("A wrong PKCE verifier is reported once, and the right one still starts the session")
    func verifier() async throws {
        let world = try await world()
        let verifier = String(repeating: "v", count: 43)
        let challenge = try await challenge(world, codeChallenge: PKCE.challenge(for: verifier))
        for character in ["a", "b"] {
            #expect(try await finalize(world, challenge, verifier: String(repeating: character, count: 43)) != 200)
        }
        #expect(try await finalize(world, challenge, verifier: "short") == 400)
        #expect(try await reasons(world) == ["wrong_verifier"])
        #expect(try await finalize(world, challenge, verifier: verifier) == 200)
    }
}
