import Foundation
import Testing

@_spi(Service) @testable import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Errors of the app's own transport and stores")
struct ForeignErrorTests {
    /// An error with a secret text.
    private struct Broken: Error, Equatable, CustomStringConvertible {
        let description = "a secret"
    }

    private static let backend = "https://api.example.com/v1/session/orders"

    /// Every way in which a client sends a request.
    enum Call: CaseIterable, Sendable {
        case login, refresh, list, backend

        var path: String {
            switch self {
            case .login: "/otp"
            case .refresh: "/refresh"
            case .list: "/me/list"
            case .backend: "/orders"
            }
        }

        func make(_ client: PreludeSessionClient) async throws {
            switch self {
            case .login:
                let identifier = PreludeIdentifier(type: .emailAddress, value: "ada@example.com")
                try await client.startOTPLogin(StartOTPLoginOptions(identifier: identifier))
            case .refresh:
                try await client.invalidateSession()
                try await client.refresh()
            case .list: _ = try await client.listSessions()
            case .backend:
                let url = try #require(URL(string: ForeignErrorTests.backend))
                _ = try await client.data(for: URLRequest(url: url))
            }
        }
    }

    @Test("URLSession's error of a cancelled task is a CancellationError, and a failure without a cancelled task")
    func cancelled() async throws {
        let error = URLError(.cancelled)
        for cause in [error as any Error, PreludeSessionError.network(underlying: error)] {
            let task = Task { () -> any Error in
                while !Task.isCancelled { await Task.yield() }
                return PreludeSessionError.transportError(cause, from: "https://api.example.com")
            }
            task.cancel()
            #expect(await task.value is CancellationError)
            let other = PreludeSessionError.transportError(cause, from: "https://api.example.com")
            guard case PreludeSessionError.network = other else {
                Issue.record("a transport that rejects a certificate is not cancelled: \(other)")
                return
            }
        }
    }

    @Test("A printed network error names host and cause")
    func printed() {
        let refused = PreludeSessionError.transportError(
            URLError(.cannotConnectToHost), from: "http://localhost:8080")
        #expect("\(refused)".hasPrefix("network(underlying: PreludeTransportFailure(localhost:8080, refused, "))
    }

    // Proves: E2
    @Test(
        "An error of the transport is a network error with a hidden text, and keeps the session",
        arguments: Call.allCases)
    func transport(_ call: Call) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        // A refresh is sent twice.
        await fixture.transport.answer(call.path, .failure(Broken()), .failure(Broken()))
        let error = await #expect(throws: PreludeSessionError.self) { try await call.make(client) }
        guard case .network(let cause) = error else { return #expect(Bool(false), "\(error as Any)") }
        let failure = try #require(cause as? PreludeTransportFailure)
        #expect(failure.underlying as? Broken == Broken())
        #expect(failure.host == (call == .backend ? "api.example.com" : "localhost:8080"))
        #expect(!"\(failure) \(failure.summary)".contains("secret"))
        #expect(try await fixture.stored()?.sessionID == "ses_1")
    }

    @Test("A timeout of URLSession is a timeout", arguments: Call.allCases)
    func timeout(_ call: Call) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(call.path, .failure(URLError(.timedOut)))
        #expect(try await failure { try await call.make(client) } == "timeout")
    }

    @Test("A cancellation of the transport stays a cancellation", arguments: Call.allCases)
    func cancellation(_ call: Call) async throws {
        let fixture = try await ClientFixture()
        let client = try fixture.client()
        await fixture.transport.answer(call.path, .failure(CancellationError()))
        await #expect(throws: CancellationError.self) { try await call.make(client) }
    }

    @Test(
        "The texts of network errors do not say whether a user is signed in",
        arguments: [PreludeSessionError.timeout, .network(underlying: Broken())])
    func neutral(_ error: PreludeSessionError) {
        let text = error.localizedDescription
        #expect(text.contains("no answer") && text.hasSuffix("a session is kept."))
        #expect(!text.contains("signed in") && !text.contains("service"))
    }

    @Test("A foreign error shows only its type and code, however it is printed")
    func redacted() {
        let error = PreludeSessionError.network(underlying: Broken())
        var dumped = ""
        dump(error, to: &dumped)
        dump([error], to: &dumped)
        let texts = ["\(error)", String(reflecting: error), "\([error])", error.localizedDescription, dumped]
        for text in texts { #expect(!text.contains("secret"), "\(text)") }
        #expect("\(error)" == "network(underlying: Broken 1)")
        #expect("\(PreludeSessionError.timeout)" == "timeout")
        #expect("\(PreludeSessionError.notFound(#"no "a""#))" == #"notFound("no \"a\"")"#)
        #expect("\(PreludeSessionError.generic(code: "c", message: "m"))" == #"generic(code: "c", message: "m")"#)
    }

    // MARK: Keys

    /// The call of a key store that fails.
    enum KeyFault: CaseIterable, Sendable { case finding, making, signing }

    private struct BrokenKeys: PreludeDeviceKeyStore {
        let fault: KeyFault
        let inner: PreludeSoftwareDeviceKeyStore
        var error: any Error = Broken()

        private struct Key: PreludeDeviceKey {
            let publicKey: Data
            let error: any Error
            func signature(for message: Data) throws -> Data { throw error }
        }

        func key(_ name: String) async throws -> (any PreludeDeviceKey)? {
            switch fault {
            case .finding: throw error
            case .making: return nil
            case .signing: return try await inner.key(name).map { Key(publicKey: $0.publicKey, error: error) }
            }
        }

        func makeKey(_ name: String) async throws -> any PreludeDeviceKey { throw error }
    }

    private func client(_ fixture: ClientFixture, keys: BrokenKeys) throws -> PreludeSessionClient {
        let (clock, randomness) = (fixture.clock, fixture.randomness)
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = fixture.store
        configuration.deviceKeyStore = keys
        configuration.transport = fixture.transport
        configuration.environment = SDKEnvironment(now: { clock.now }, randomBytes: { randomness.bytes($0) })
        return try PreludeSessionClient(configuration: configuration)
    }

    // Proves: E1
    @Test(
        "An error of a key store or a key is unavailable storage, and keeps the session", arguments: KeyFault.allCases)
    func keys(_ fault: KeyFault) async throws {
        let fixture = try await ClientFixture()
        let keys = BrokenKeys(fault: fault, inner: PreludeSoftwareDeviceKeyStore(store: fixture.store))
        let client = try client(fixture, keys: keys)
        await fixture.transport.answer("/login/email/password", ClientFixture.next(TestToken.challenge("t0")))
        let error = await #expect(throws: PreludeSessionError.self) {
            _ = try await client.loginWithPassword(
                LoginWithPasswordOptions(emailAddress: "a@example.com", password: "p"))
        }
        guard case .storageUnavailable(let text) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(text.text.contains("Broken") && !text.text.contains("secret"))
        #expect(try await fixture.stored()?.sessionID == "ses_1")
    }

    @Test("A cancellation of a key stays a cancellation")
    func cancelledKey() async throws {
        let fixture = try await ClientFixture()
        let inner = PreludeSoftwareDeviceKeyStore(store: fixture.store)
        let client = try client(
            fixture, keys: BrokenKeys(fault: .signing, inner: inner, error: CancellationError()))
        try await client.invalidateSession()
        await #expect(throws: CancellationError.self) { try await client.refresh() }
    }

    // MARK: Credentials

    private enum Use: Sendable { case read, lock }

    private struct BrokenStore: PreludeCredentialStore {
        let use: Use
        let inner: FaultyStore
        var error: any Error = Broken()

        func read(_ name: String) async throws -> Data? {
            if use == .read { throw error }
            return try await inner.read(name)
        }

        func write(_ data: Data, to name: String) async throws { try await inner.write(data, to: name) }
        func delete(_ name: String) async throws { try await inner.delete(name) }

        func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            if use == .lock { throw error }
            return try await work()
        }
    }

    private func client(_ fixture: ClientFixture, store: BrokenStore) throws -> PreludeSessionClient {
        var configuration = PreludeSessionClient.Configuration()
        configuration.credentialStore = store
        configuration.transport = fixture.transport
        configuration.environment = SDKEnvironment(
            now: { .distantFuture }, randomBytes: { Array(repeating: 7, count: $0) })
        return try PreludeSessionClient(configuration: configuration)
    }

    @Test("An error of a credential store or its lock is unavailable storage with a hidden text")
    func credentials() async throws {
        for use in [Use.read, .lock] {
            let fixture = try await ClientFixture()
            let client = try client(fixture, store: BrokenStore(use: use, inner: fixture.store))
            let error = await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
            guard case .storageUnavailable(let text) = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(text.text.contains("Broken") && !text.text.contains("secret"))
            #expect(await fixture.transport.count("/refresh") == 0)
        }
    }

    @Test("A cancellation of a credential store stays a cancellation")
    func cancelledStore() async throws {
        for use in [Use.read, .lock] {
            let fixture = try await ClientFixture()
            let store = BrokenStore(use: use, inner: fixture.store, error: CancellationError())
            await #expect(throws: CancellationError.self) { try await client(fixture, store: store).refresh() }
        }
    }
}
