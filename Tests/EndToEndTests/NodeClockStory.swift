import PreludeSessionTesting
import PreludeSessionVerifier
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@Suite("Nodes whose clocks differ")
struct NodeClockStory {
    private func device(_ binding: SessionPolicy.AccessTokenBinding) async throws -> RawDevice {
        try await RawDevice(ServiceWorld { $0.sessions.accessTokenBinding = binding })
    }

    /// What a node with another clock says to a call with the device's token.
    private func status(_ path: FrontendPath, _ device: RawDevice, clockError: Int) async throws -> Int {
        var elsewhere = device
        elsewhere.world = try device.world.node(clockError: clockError)
        var credentials = try device.credentials(path)
        credentials.scheme = try #require(device.tokenType)
        return try await elsewhere.send(path, credentials).status
    }

    @Test("What the service forgives is what backends with the verifier forgive by default")
    func value() {
        #expect(Double(AccessTokenClaims.leeway) == VerifierOptions().leeway)
    }

    @Test(
        "RFC 7519 §4.1.5: a token that one node has just made is good at another that is seconds behind",
        arguments: FrontendPath.signedIn, [SessionPolicy.AccessTokenBinding.bearer, .dpop])
    func behind(_ path: FrontendPath, _ binding: SessionPolicy.AccessTokenBinding) async throws {
        let device = try await device(binding)
        for seconds in [-1, -5] { #expect(try await status(path, device, clockError: seconds) != 401) }
        #expect(try await status(path, device, clockError: -6) == 401)
    }

    @Test(
        "RFC 7519 §4.1.4: no node takes a token after its end, as its clock says",
        arguments: [(0, 299, 200), (0, 300, 401), (-2, 301, 200), (-2, 302, 401), (2, 297, 200), (2, 298, 401)])
    func end(_ clockError: Int, _ age: Int, _ expected: Int) async throws {
        let device = try await device(.bearer)
        device.world.clock.advance(seconds: age)
        #expect(try await status(.sessions, device, clockError: clockError) == expected)
    }
}
