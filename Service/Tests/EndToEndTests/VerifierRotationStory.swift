import Foundation
import HTTPTypes
@_spi(Service) import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import SessionDomain
import SessionTokens
import Testing

/// Clients refresh at two nodes, and backends cache key sets as long as the verifier does by default.
@Suite("Backends verify while keys rotate", .eachStore)
struct VerifierRotationStory {
    // Proves: K1
    @Test("No token of two nodes is rejected while the key and its algorithm change")
    func noRefusal() async throws {
        let load = try await RotationLoad(keyRotation: KeyRotationPolicy(interval: nil))
        try await load.run(seconds: 60)
        try await load.nodes[1].signingKeys.rotate(.access, of: load.world.appID, reason: .request)
        try await load.runOverSwitch()
        try await load.nodes[0].apps.update(load.world.appID) { $0.signingAlgorithm = .es256 }
        try await load.runOverSwitch()
        #expect(load.refusals.isEmpty)
        #expect(load.checks > 1000)
        // Each node signed with the first key, with its successor, and with the key of the other algorithm.
        #expect(load.signers.count == 6)
        #expect(Set(load.signers.map(\.algorithm)) == ["EdDSA", "ES256"])
    }

    @Test("The verifier fetches keys as often as rotations assume")
    func intervals() {
        let verifier = KeyCachePolicy()
        #expect(verifier.minimumInterval == Double(KeyRotationPolicy.verifierInterval))
        #expect(verifier.lifetime <= Double(KeyRotationPolicy.longestKeySetAge))
    }

    // Proves: K1
    @Test("A key that signs seconds after it was published is rejected by a backend")
    func tooEarly() async throws {
        let load = try await RotationLoad(keyRotation: KeyRotationPolicy(interval: nil, publishAhead: 15))
        try await load.run(seconds: 60)
        try await load.nodes[1].signingKeys.rotate(.access, of: load.world.appID, reason: .request)
        try await load.run(seconds: 60)
        #expect(load.refusals.contains(.unknownKey))
    }
}

/// Two clients and four backends. The backends verify each token when it is new and in its last seconds.
private final class RotationLoad {
    struct Signer: Hashable {
        let node: Int
        let keyID: String
        let algorithm: String
    }

    let world: ServiceWorld
    let nodes: [SessionService]
    private let verifiers: [SessionVerifier]
    private let clients: [PreludeSessionClient]
    private var validTokens: [(token: String, expiresAt: Timestamp)] = []
    private(set) var signers: Set<Signer> = []
    private(set) var refusals: [VerificationError.Reason] = []
    private(set) var checks = 0

    init(keyRotation: KeyRotationPolicy) async throws {
        let world = try await ServiceWorld(keyRotation: keyRotation)
        self.world = world
        let worlds = [world, world.node(clockError: 2)]
        nodes = worlds.map(\.service)
        verifiers = try (0..<4).map { index in
            var options = VerifierOptions()
            options.environment.now = { world.clock.timestamp.date.addingTimeInterval(Double(index - 2)) }
            return try SessionVerifier(
                service: ServiceWorld.localOrigin, audience: world.appID.rawValue, options: options,
                keySource: ServiceKeySource(router: worlds[index % 2].router))
        }
        var clients: [PreludeSessionClient] = []
        for (index, world) in worlds.enumerated() {
            clients.append(try await world.signedIn("user\(index)@example.com"))
        }
        self.clients = clients
        // At any time some verifiers are about to fetch, and others have just fetched.
        for verifier in verifiers {
            try await verifier.loadKeys()
            world.clock.advance(seconds: 7)
        }
    }

    /// Waits until a requested key signs, 395 seconds later, and until the tokens of the key before it expire.
    func runOverSwitch() async throws {
        try await run(seconds: 340, step: 20)
        try await run(seconds: 100)
        try await run(seconds: 320, step: 20)
    }

    func run(seconds: Int, step: Int = 5) async throws {
        let end = world.clock.timestamp + seconds
        while world.clock.timestamp < end {
            world.clock.advance(seconds: step)
            for (node, client) in clients.enumerated() {
                try await client.invalidateSession()
                let token = try await client.refresh().accessToken
                try record(token, node: node)
                await verify(token)
            }
            let last = validTokens.prefix { $0.expiresAt < world.clock.timestamp + step + 1 }
            for (token, _) in last { await verify(token) }
            validTokens.removeFirst(last.count)
        }
    }

    private func record(_ token: String, node: Int) throws {
        let jws = try CompactJWS(parsing: token)
        signers.insert(
            Signer(node: node, keyID: try #require(jws.header.kid), algorithm: jws.algorithm.rawValue))
        validTokens.append((token, world.clock.timestamp + 300))
    }

    private func verify(_ token: String) async {
        for verifier in verifiers {
            checks += 1
            do throws(VerificationError) {
                _ = try await verifier.verify(token)
            } catch {
                refusals.append(error.reason)
            }
        }
    }
}
