import PreludeSessionTesting
import PreludeSessionVerifier
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@Suite("Nodes whose clocks differ", .eachStore)
struct NodeClockStory {
    private func device(_ binding: SessionPolicy.AccessTokenBinding) async throws -> RawDevice {
        try await RawDevice(ServiceWorld { $0.sessions.accessTokenBinding = binding })
    }

    /// The status of a call with the device's token at a node with another clock.
    private func status(_ path: FrontendPath, _ device: RawDevice, clockError: Int) async throws -> Int {
        var elsewhere = device
        elsewhere.world = device.world.node(clockError: clockError)
        var credentials = try device.credentials(path)
        credentials.scheme = try #require(device.tokenType)
        return try await elsewhere.send(path, credentials).status
    }

    @Test("The service and the verifier allow the same clock difference by default")
    func value() {
        #expect(Double(AccessTokenClaims.leeway) == VerifierOptions().leeway)
    }

    // Proves: K2
    @Test(
        "A new token is valid at a node whose clock is up to 35 seconds behind (RFC 7519 §4.1.5)",
        arguments: FrontendPath.signedIn, [SessionPolicy.AccessTokenBinding.bearer, .dpop])
    func behind(_ path: FrontendPath, _ binding: SessionPolicy.AccessTokenBinding) async throws {
        let device = try await device(binding)
        for seconds in [-1, -5] { #expect(try await status(path, device, clockError: seconds) != 401) }
        #expect(try await status(path, device, clockError: -36) == 401)
    }

    // Proves: K2
    @Test(
        "A node rejects an expired token by its own clock (RFC 7519 §4.1.4)",
        arguments: [(0, 299, 200), (0, 300, 401), (-2, 301, 200), (-2, 302, 401), (2, 297, 200), (2, 298, 401)])
    func end(_ clockError: Int, _ age: Int, _ expected: Int) async throws {
        let device = try await device(.bearer)
        device.world.clock.advance(seconds: age)
        #expect(try await status(.sessions, device, clockError: clockError) == expected)
    }
}
