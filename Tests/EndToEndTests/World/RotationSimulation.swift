import Foundation
import PreludeSessionTesting
import SessionArgon2
import SessionDomain
import SessionRSA
import SessionSQLite
import SessionTokens
import Synchronization
import Testing

/// Two nodes on one database whose clocks are a minute apart, and verifiers that go by the oldest key set they may have.
/// Clocks of nodes may jump; those of verifiers are right.
struct RotationSimulation {
    /// What a verifier makes of its key set: it fetches as late as it is allowed to.
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

    /// The last moment at which something that a key signed is still good, for a verifier whose clock is late.
    private typealias Signed = [StoredSigningKey.Purpose: [String: Timestamp]]

    let clock: TestClock
    private(set) var nodes: [SessionService]
    let app: AppID
    private let clocks: NodeClocks
    private let makeNode: @Sendable (Int) throws -> SessionService
    private var verifiers: [Verifier]
    private var signed: Signed = [:]
    private var verified: Set<String> = []
    private(set) var checks = 0
    private(set) var refusals = 0
    private(set) var signers: [String] = []

    init(policy: KeyRotationPolicy, accessTokenLifetime: Int) async throws {
        let (live, id) = (ServiceEnvironment.live, try #require(AppID("testapp")))
        let (clock, clocks) = (TestClock(), NodeClocks())
        (self.clock, self.clocks, app) = (clock, clocks, id)
        let store = try SQLiteStore.open(.memory)
        let master = MasterKey(secret: Data(live.randomBytes(32)))
        makeNode = { index in
            SessionService(
                store: store, keys: KeyRing(current: master), hasher: try Argon2PasswordHasher(), delivery: nil,
                egress: FakeInternet(), origins: try PublicOrigins(publicURL: World.origin), defaultApp: id,
                environment: ServiceEnvironment(
                    now: { clock.timestamp + clocks.skews.withLock { $0[index] } },
                    uptime: { clock.timestamp.milliseconds }, randomBytes: live.randomBytes,
                    sleep: { _ in throw CancellationError() }),
                keyRotation: policy)
        }
        nodes = try [0, 1].map(makeNode)
        verifiers = (0..<12).map { Verifier(node: $0 % 2) }
        _ = try await nodes[1].apps.create(id: id, name: "Test") {
            $0.sessions.accessTokenLifetime = accessTokenLifetime
        }
        try await HookKeys(
            store: store, keys: KeyRing(current: master), directory: nodes[1].directory,
            environment: nodes[1].environment
        ).ensure(app: id)
        // Verifiers come one after the other, so that some are always about to fetch and some have just done so.
        for index in verifiers.indices {
            try await fetch(index)
            clock.advance(seconds: 28)
        }
    }

    /// Sets the clocks of nodes wrong by so many seconds; without any, as right as they are otherwise.
    func setClocks(ahead seconds: Int = 0, of places: [Int] = [0, 1]) {
        clocks.skews.withLock { skews in
            for place in places { skews[place] = NodeClocks.usual[place] + seconds }
        }
    }

    /// Starts the nodes anew: they remember nothing.
    mutating func restart() throws { nodes = try [0, 1].map(makeNode) }

    /// Lets time go by; both nodes sign at each step, and every verifier checks everything that is good.
    mutating func run(seconds: Int, step: Int, keepsHouse: Bool = true) async throws {
        let end = clock.timestamp + seconds
        while clock.timestamp < end {
            clock.advance(seconds: step)
            if keepsHouse && clock.timestamp.seconds % 60 < Int64(step) {
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

    private mutating func sign(_ node: SessionService) async throws {
        let runtime = try await node.directory.app(app)
        let leeway = KeyRotationPolicy.clockLeeway
        let (now, right) = (node.environment.now(), clock.timestamp + leeway)
        // A token from the future is refused for its times, whatever its key.
        if now <= right {
            note(runtime.accessKey.keyID, .access, now + runtime.settings.sessions.accessTokenLifetime + leeway)
        }
        note(runtime.challengeKey.keyID, .challenge, min(now, right) + StepUpStep.maximumDuration + leeway)
        if let key = runtime.hookKey { note(key.keyID, .hook, right + KeyRotationPolicy.hookSignatureLife) }
        // What the key identifiers say is what the signatures say; once for each key is enough, as keys do not change.
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

/// How wrong the clock of each node is, in seconds.
private final class NodeClocks: Sendable {
    static let usual = [30, -30]
    let skews = Mutex(usual)
}
