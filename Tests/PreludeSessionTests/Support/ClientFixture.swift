import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

/// The parts of a client that is signed in to a scripted service: transport, store, clock and randomness.
struct ClientFixture {
    static let name = "localhost:8080"

    let transport = ScriptedTransport()
    let store = FaultyStore()
    let clock = TestClock()
    let randomness = TestRandomness()

    /// - Parameters:
    ///   - scope: The scope of the stored access token.
    ///   - lifetime: The lifetime of the stored access token, in seconds.
    init(scope: String? = nil, lifetime: Double = 300, signedIn: Bool = true) async throws {
        _ = try await PreludeSoftwareDeviceKeyStore(store: store).makeKey(Self.name)
        if signedIn { try await signIn(scope: scope, lifetime: lifetime) }
    }

    /// Stores a session, as another client of the same store does.
    func signIn(
        session: String = "ses_1", refreshToken: String = "refresh-0", scope: String? = nil, lifetime: Double = 300
    ) async throws {
        let now = clock.now.timeIntervalSince1970
        let stored = StoredSession(
            refreshToken: refreshToken, refreshTokenExpiresAt: nil,
            accessToken: TestToken.access("access-0", scope: scope, session: session, issuedAt: now),
            accessTokenExpiresAt: clock.now.addingTimeInterval(lifetime))
        try await store.write(try stored.encoded(), to: Self.name + ".session")
    }

    func client(
        signals: (any PreludeSignalsDispatcher)? = nil, endpoint: Endpoint = .default,
        log: (any PreludeSessionLogHandler)? = nil, store: (any PreludeCredentialStore)? = nil,
        authenticator: (any PreludePasskeyAuthenticator)? = nil
    ) throws -> PreludeSessionClient {
        let clock = clock
        let randomness = randomness
        var configuration = PreludeSessionClient.Configuration(endpoint: endpoint)
        configuration.signalsDispatcher = signals
        configuration.credentialStore = store ?? self.store
        configuration.transport = transport
        configuration.passkeyAuthenticator = authenticator
        configuration.logHandler = log
        configuration.environment = SDKEnvironment(now: { clock.now }, randomBytes: { randomness.bytes($0) })
        return try PreludeSessionClient(configuration: configuration)
    }

    /// The stored session.
    func stored() async throws -> StoredSession? {
        try await store.read(Self.name + ".session").map(StoredSession.decode)
    }

    /// The response to a refresh, with `access-n` and `refresh-n`.
    func refreshed(
        _ number: Int, scope: String? = nil, session: String = "ses_1", lifetime: Double = 300
    ) -> ScriptedTransport.Answer {
        let now = clock.now.timeIntervalSince1970
        let token = TestToken.access("access-\(number)", scope: scope, session: session, issuedAt: now)
        return .success(
            #"{"access_token":"\#(token)","expires_at":\#(Int(now + lifetime))}"#,
            headers: ["x-refresh-token": "refresh-\(number)"])
    }

    /// Holds the response to the next login with a password until the returned gate is opened. Then the login succeeds.
    func holdPasswordLogin(session: String) async -> Gate {
        let gate = Gate()
        let completed = TestToken.challenge("t0", step: "completed")
        await transport.answer("/login/email/password", .held(gate, Self.next(completed)))
        await transport.answer("/login/finalize", refreshed(1, session: session))
        return gate
    }

    /// A challenge of `requestStepUp`.
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

/// The name of the `PreludeSessionError` case that the work throws; `nil` if it throws none. Rethrows other errors.
func failure(_ work: () async throws -> Void) async throws -> String? {
    do {
        try await work()
        return nil
    } catch let error as PreludeSessionError {
        return String(String(describing: error).prefix { $0 != "(" })
    }
}

extension PreludeSessionClient {
    /// Signs out, and waits until the queue of revocations was sent once.
    func logoutAndRevoke() async throws {
        do {
            try await logout()
        } catch {
            await revokeEndedSessions()
            throw error
        }
        await revokeEndedSessions()
    }
}
