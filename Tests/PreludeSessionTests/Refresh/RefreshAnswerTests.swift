import Foundation
import Testing

@testable import PreludeSession

@Suite("Responses to a refresh that are incomplete or invalid", .timeLimit(.minutes(5)))
struct RefreshAnswerTests {
    private static let unusable = [
        "", "garbage", TestToken.jwt([:]), TestToken.jwt(["sub": .string("")]), TestToken.jwt(["sub": .int(1)]),
    ]

    /// A response with this access token and this refresh token, which are valid for years.
    private static func answer(_ accessToken: String, refreshToken: String?) -> ScriptedTransport.Answer {
        .success(
            #"{"access_token":"\#(accessToken)","expires_at":\#(Int(TestClock.start) + 100_000_000)}"#,
            headers: refreshToken.map { ["x-refresh-token": $0] } ?? [:])
    }

    private func attempts(_ fixture: ClientFixture) async -> [PreludeJSONValue?] {
        await fixture.transport.requests("/refresh").map { $0.proof?["attempt"] }
    }

    // Proves: E4
    @Test(
        "A response with an unusable access token is not stored, and the next call repeats the rotation",
        arguments: unusable)
    func unusableToken(token: String) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        let stored = try await fixture.stored()
        await fixture.transport.answer("/refresh", Self.answer(token, refreshToken: "refresh-1"))
        #expect(try await failure { _ = try await client.refresh() } == "refreshFailed")
        #expect(try await fixture.stored() == stored)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await client.refresh().userID == "usr_1")
        let attempts = await attempts(fixture)
        #expect(attempts.count == 2 && attempts[0] != nil && attempts[0] == attempts[1])
    }

    // Proves: E4
    @Test("A stored access token that no call can use is refreshed at once", arguments: unusable)
    func storedToken(token: String) async throws {
        let fixture = try await ClientFixture()
        var stored = try #require(try await fixture.stored())
        stored.accessToken = token
        try await fixture.store.write(try stored.encoded(), to: ClientFixture.name + ".session")
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await fixture.client().refresh().userID == "usr_1")
    }

    // Proves: E4
    @Test(
        "Without a new refresh token the old one and its attempt stay, so the next refresh repeats the rotation",
        arguments: [nil, ""])
    func withoutRefreshToken(refreshToken: String?) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        try await client.invalidateSession()
        await fixture.transport.answer(
            "/refresh", Self.answer(TestToken.access("access-1"), refreshToken: refreshToken))
        #expect(try await client.refresh().accessToken == TestToken.access("access-1"))
        #expect(try await fixture.stored()?.refreshToken == "refresh-0")
        try await client.invalidateSession()
        await fixture.transport.answer("/refresh", fixture.refreshed(2))
        _ = try await client.refresh()
        #expect(
            await fixture.transport.requests("/refresh").map { $0.headers["x-refresh-token"] } == [
                "refresh-0", "refresh-0",
            ])
        let attempts = await attempts(fixture)
        #expect(attempts[0] != nil && attempts[0] == attempts[1])
        #expect(try await fixture.stored()?.refreshToken == "refresh-2")
        #expect(try await fixture.stored()?.spentAttempts?.count == 1)
    }
}
