import Foundation
import Testing

@testable import PreludeSession

/// A client that is signed in to a scripted service, and what tests need to look behind it.
struct ClientFixture {
    static let name = "localhost:8080"

    let transport = ScriptedTransport()
    let store = FaultyStore()
    let clock = TestClock()
    let randomness = TestRandomness()

    /// - Parameters:
    ///   - scope: The scope of the access token at hand.
    ///   - lifetime: Seconds the access token at hand lives.
    init(scope: String? = nil, lifetime: Double = 300, signedIn: Bool = true) async throws {
        _ = try await SoftwareDeviceKeyStore(store: store).makeKey(Self.name)
        if signedIn { try await signIn(scope: scope, lifetime: lifetime) }
    }

    /// Puts a session into the store, as another client of the same store would.
    func signIn(session: String = "ses_1", scope: String? = nil, lifetime: Double = 300) async throws {
        let now = clock.now.timeIntervalSince1970
        let stored = StoredSession(
            refreshToken: "refresh-0", refreshTokenExpiresAt: nil,
            accessToken: TestToken.access("access-0", scope: scope, session: session, issuedAt: now),
            accessTokenExpiresAt: clock.now.addingTimeInterval(lifetime))
        try await store.write(try stored.encoded(), to: Self.name + ".session")
    }

    func client(
        signals: (any PreludeSignalsDispatcher)? = nil, endpoint: Endpoint = .default,
        log: (any PreludeSessionLogHandler)? = nil
    ) throws -> PreludeSessionClient {
        let clock = clock
        let randomness = randomness
        return try PreludeSessionClient(
            endpoint: endpoint, signalsDispatcher: signals, credentialStore: store, transport: transport,
            logHandler: log, environment: SDKEnvironment(now: { clock.now }, randomBytes: { randomness.bytes($0) }))
    }

    /// The session as it lies in the store.
    func stored() async throws -> StoredSession? {
        try await store.read(Self.name + ".session").map(StoredSession.decode)
    }

    /// What a refresh answers with: `access-n` and `refresh-n`.
    func refreshed(
        _ number: Int, scope: String? = nil, session: String = "ses_1", lifetime: Double = 300
    ) -> ScriptedTransport.Answer {
        let now = clock.now.timeIntervalSince1970
        let token = TestToken.access("access-\(number)", scope: scope, session: session, issuedAt: now)
        return .success(
            #"{"access_token":"\#(token)","expires_at":\#(Int(now + lifetime))}"#,
            headers: ["x-refresh-token": "refresh-\(number)"])
    }

    /// A challenge that a client was given by `requestStepUp`.
    func challenge(
        of client: PreludeSessionClient, _ token: String = TestToken.challenge("t0"), status: String = "review"
    ) async throws -> StepUpChallenge {
        await transport.answer("/stepup/request", Self.decision(token, status: status))
        return try await client.requestStepUp(scope: "transfer:write")
    }

    static func decision(_ token: String?, status: String = "review") -> ScriptedTransport.Answer {
        .success(
            #"{"status":"\#(status)""# + (token.map { #","challenge_token":"\#($0)""# } ?? "") + "}")
    }

    static func next(_ token: String) -> ScriptedTransport.Answer {
        .success(#"{"challenge_token":"\#(token)"}"#)
    }
}

/// A store that refuses reads or writes when told to, as a locked device does.
actor FaultyStore: CredentialStore {
    /// `growth` is a full disk: nothing can be written, and everything deleted.
    enum Refusal: Sendable { case nothing, reads, writes, growth }

    /// Held are those that have read, and those that are about to write.
    enum Use: Sendable { case read, write }

    /// Somebody who is stopped in the middle of using the store.
    struct Hold: Sendable {
        let arrived = Gate()
        let released = Gate()
    }

    private let inner = InMemoryCredentialStore()
    private var refusal = Refusal.nothing

    func refuse(_ what: Refusal) { refusal = what }

    private var holds: [(use: Use, name: String, hold: Hold)] = []

    /// Stops whoever uses a record next, a `.session` for example, until the hold is released.
    func hold(_ use: Use, _ name: String) -> Hold {
        let hold = Hold()
        holds.append((use, ClientFixture.name + name, hold))
        return hold
    }

    private func pause(_ use: Use, _ name: String) async {
        guard let index = holds.firstIndex(where: { $0.use == use && $0.name == name }) else { return }
        let hold = holds.remove(at: index).hold
        await hold.arrived.open()
        await hold.released.wait()
    }

    private func check(_ what: Refusal) throws {
        if refusal == what { throw PreludeSessionError.storageUnavailable("refused by the test") }
    }

    func read(_ name: String) async throws -> Data? {
        try check(.reads)
        let data = await inner.read(name)
        await pause(.read, name)
        return data
    }

    func write(_ data: Data, to name: String) async throws {
        try check(.writes)
        try check(.growth)
        await pause(.write, name)
        await inner.write(data, to: name)
    }

    func delete(_ name: String) async throws {
        try check(.writes)
        await inner.delete(name)
    }

    nonisolated func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await inner.withLock(name, work)
    }
}

/// The case of the SDK error that the work fails with, `nil` when it succeeds; any other error is rethrown.
func failure(_ work: () async throws -> Void) async throws -> String? {
    do {
        try await work()
        return nil
    } catch let error as PreludeSessionError {
        return String(String(describing: error).prefix { $0 != "(" })
    }
}
