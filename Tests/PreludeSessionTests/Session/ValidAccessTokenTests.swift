import Foundation
import Testing

@testable import PreludeSession

@Suite("An access token for a call that the client does not send")
struct ValidAccessTokenTests {
    @Test("A token that is valid for long enough is returned without a request, another one is refreshed")
    func margin() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let first = try #require(await client.accessToken)
        fixture.clock.advance(150)
        #expect(try await client.validAccessToken(margin: 140) == first)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        #expect(try await client.validAccessToken(margin: 160) != first)
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("A margin that would refresh at every call is rejected", arguments: [-1, -Double.infinity, .infinity, .nan])
    func invalidMargin(margin: Double) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.validAccessToken(margin: margin) } == "invalidConfiguration")
        var configuration = PreludeSessionClient.Configuration()
        configuration.earlyRefreshMargin = margin
        let thrown = try await failure { _ = try PreludeSessionClient(configuration: configuration) }
        #expect(thrown == "invalidConfiguration")
        #expect(await fixture.transport.count("/refresh") == 0)
    }

    @Test("Without a network, a token with less time is not returned, and other calls still use it")
    func offline() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        let first = try #require(await client.accessToken)
        fixture.clock.advance(200)
        // A refresh without an answer is repeated once.
        await fixture.transport.answer("/refresh", .offline, .offline)
        #expect(try await failure { _ = try await client.validAccessToken(margin: 120) } == "network")
        #expect(try await client.refresh().accessToken == first)
    }

    @Test("A token that another client fetched some time ago is refreshed, too")
    func fetchedElsewhere() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        _ = await client.accessToken
        fixture.clock.advance(90)
        try await fixture.signIn(scope: "other")
        // The other client's token has 100 seconds left, more than the margin of 30.
        fixture.clock.advance(200)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        let token = try await client.validAccessToken(margin: 150)
        #expect(TestToken.claims(of: token)?["jti"] == .string("access-1"))
        #expect(await fixture.transport.count("/refresh") == 1)
    }

    @Test("Concurrent callers with different margins share one refresh")
    func shared() async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        fixture.clock.advance(280)
        await fixture.transport.answer("/refresh", fixture.refreshed(1))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for margin in [0.0, 30, 60, 120] {
                group.addTask { try await client.validAccessToken(margin: margin) }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(await fixture.transport.count("/refresh") == 1)
    }
}
