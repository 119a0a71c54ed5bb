import Foundation
import PreludeSessionTesting
import SessionArgon2
import SessionConformance
import SessionDomain
import SessionRSA
import SessionSQLite
import SessionTokens
import Synchronization
import Testing

/// Two nodes on one database, whose clocks differ by a minute, and twelve verifiers with key sets as old as allowed.
///
/// The clocks of nodes can jump. The clocks of verifiers are correct.
struct RotationSimulation {
    /// A verifier that fetches its key set as late as allowed.
    private struct Verifier {
        let node: Int
        var keys: [StoredSigningKey.Purpose: Set<String>] = [:]
        var fetchedAt: Timestamp?

        func knows(_ keyID: String, _ purpose: StoredSigningKey.Purpose) -> Bool {
            keys[purpose]?.contains(keyID) ?? false
        }

        func isDue(at now: Timestamp) -> Bool {
            fetchedAt.map { $0 + KeyRotationPolicy.longestKeySetAge + KeyRotationPolicy.verifierInterval <= now }
                ?? true
        }
    }

    /// For each key, the time until which a verifier with a late clock accepts what the key signed.
    private typealias Signed = [StoredSigningKey.Purpose: [String: Timestamp]]

    let clock: TestService.Clock
    let store: any AppStore
    private(set) var nodes: [RotationNode]
    let app: AppID
    private let clocks: NodeClocks
    private let makeNode: @Sendable (Int) throws -> RotationNode
    private var verifiers: [Verifier]
    private var signed: Signed = [:]
    private var verified: Set<String> = []
    private(set) var checks = 0
    private(set) var refusals = 0
    private(set) var signers: [String] = []

    /// - Parameter runsWholeService: Whether each node is a whole service over SQLite. Otherwise a node has only the parts
    ///   that sign and rotate, and reads SQLite again only after a write, which is faster.
    init(policy: KeyRotationPolicy, accessTokenLifetime: Int, runsWholeService: Bool = false) async throws {
        let (live, id) = (ServiceEnvironment.live, try #require(AppID("testapp")))
        let (clock, clocks, database) = (TestService.Clock(), NodeClocks(), try SQLiteStore.open(.memory))
        let rsaKeys = RSAKeySource()
        let store: any AppStore = runsWholeService ? database : CachedAppStore(database)
        (self.clock, self.clocks, self.store, app) = (clock, clocks, store, id)
        let keys = KeyRing(current: MasterKey(secret: Data(live.randomBytes(32))))
        let origins = try PublicOrigins(publicURL: ServiceWorld.localOrigin)
        makeNode = { index in
            let environment = ServiceEnvironment(
                now: { clock.timestamp + clocks.skews.withLock { $0[index] } },
                uptime: { clock.timestamp.milliseconds }, randomBytes: live.randomBytes,
                generateRSAKey: rsaKeys.next, sleep: { _ in throw CancellationError() })
            guard runsWholeService else {
                return RotationNode(
                    store: store, keys: keys, origins: origins, policy: policy, environment: environment)
            }
            return RotationNode(
                SessionService(
                    store: database, keys: keys, hasher: try Argon2PasswordHasher.cheap(), routes: FixedRoutes([]),
                    egress: OperatorEndpoints(), origins: origins, defaultApp: id, environment: environment,
                    keyRotation: policy), keys: keys)
        }
        nodes = try [0, 1].map(makeNode)
        verifiers = (0..<12).map { Verifier(node: $0 % 2) }
        _ = try await nodes[1].apps.create(id: id, name: "Test") {
            $0.sessions.accessTokenLifetime = accessTokenLifetime
        }
        try await nodes[1].hookKeys.ensure(app: id)
        // The verifiers start one after the other. At any time some are about to fetch, and others have just fetched.
        for index in verifiers.indices {
            try await fetch(index)
            clock.advance(seconds: 28)
        }
    }

    /// Sets the errors of the nodes' clocks.
    ///
    /// - Parameters:
    ///   - seconds: Added to the usual error of half a minute.
    ///   - places: The indices of the nodes.
    func setClocks(ahead seconds: Int = 0, of places: [Int] = [0, 1]) {
        clocks.skews.withLock { skews in
            for place in places { skews[place] = NodeClocks.usual[place] + seconds }
        }
    }

    /// Restarts the nodes, so that they lose everything in memory.
    mutating func restart() throws { nodes = try [0, 1].map(makeNode) }

    /// Advances the time. At each step both nodes sign, and every verifier checks everything that is still valid.
    mutating func run(seconds: Int, step: Int) async throws {
        let end = clock.timestamp + seconds
        while clock.timestamp < end {
            clock.advance(seconds: step)
            if clock.timestamp.seconds % 60 < Int64(step) {
                for node in nodes { try await node.signingKeys.maintain { Issue.record($0) } }
            }
            for index in verifiers.indices where verifiers[index].isDue(at: clock.timestamp) { try await fetch(index) }
            for node in nodes { try await sign(node) }
            check()
        }
    }

    private mutating func fetch(_ index: Int) async throws {
        let runtime = try await nodes[verifiers[index].node].directory.app(app)
        verifiers[index].keys = [
            .access: Set(runtime.publishedKeys.compactMap { $0["kid"] }),
            .hook: Set(runtime.publishedKeys.compactMap { $0["kid"] }),
            .challenge: Set(runtime.challengeKeys.keys.map(\.thumbprint)),
        ]
        verifiers[index].fetchedAt = clock.timestamp
    }

    private mutating func sign(_ node: RotationNode) async throws {
        let runtime = try await node.directory.app(app)
        let leeway = KeyRotationPolicy.clockLeeway
        let (now, latest) = (node.environment.now(), clock.timestamp + leeway)
        // Verifiers reject a token from the future with any key.
        if now <= latest {
            note(runtime.accessKey.keyID, .access, now + runtime.settings.sessions.accessTokenLifetime + leeway)
        }
        note(runtime.challengeKey.keyID, .challenge, min(now, latest) + StepUpStep.maximumDuration + leeway)
        if let key = runtime.hookKey { note(key.keyID, .hook, latest + KeyRotationPolicy.hookSignatureLife) }
        // The simulation compares key ids only. One real signature for each key shows that the ids stand for the keys.
        guard verified.insert(runtime.accessKey.keyID).inserted else { return }
        let token = try JWT.sign(["sub": "usr_1"], type: TokenType.accessToken, key: runtime.accessKey)
        for other in nodes {
            _ = try JWT.verify(
                token, as: [String: String].self, type: TokenType.accessToken,
                keys: try await other.directory.app(app).accessKeys)
        }
    }

    private mutating func note(_ keyID: String, _ purpose: StoredSigningKey.Purpose, _ end: Timestamp) {
        if signed[purpose]?[keyID] == nil { signers.append("\(purpose)") }
        signed[purpose, default: [:]][keyID] = max(end, signed[purpose]?[keyID] ?? end)
    }

    private mutating func check() {
        let now = clock.timestamp
        for (purpose, ends) in signed {
            for (keyID, end) in ends where end > now {
                for verifier in verifiers {
                    checks += 1
                    if !verifier.knows(keyID, purpose) { refusals += 1 }
                }
            }
        }
    }
}

/// The errors of the nodes' clocks, in seconds.
private final class NodeClocks: Sendable {
    static let usual = [30, -30]
    let skews = Mutex(usual)
}
