package import SessionDomain
internal import SessionTokens
internal import Synchronization
internal import Testing

/// An empty store, two app ids, and a clock that stands still. Rules pass the seconds by which something happens later.
package struct ContractWorld: Sendable {
    let store: any ServiceStore
    let app: AppID
    let otherApp: AppID
    let now = Timestamp(seconds: 1_800_000_000)
    private let random = CountingBytes()

    package init(store: any ServiceStore) throws {
        self.store = store
        app = try #require(AppID("contra1"))
        otherApp = try #require(AppID("contra2"))
    }

    func environment(at time: Timestamp) -> ServiceEnvironment {
        ServiceEnvironment(now: { time }, randomBytes: random.next, sleep: { _ in })
    }

    var environment: ServiceEnvironment { environment(at: now) }

    func events(at time: Timestamp? = nil) -> EventFactory {
        EventFactory(appID: app, environment: environment(at: time ?? now))
    }

    /// The names of the app's events, oldest first, without those of attempts to sign in.
    func happened() async throws -> [Event.Name] {
        let attempts: [Event.Name] = [.loginFailed, .loginLimited, .codeSent]
        return try await store.events(app: app, limit: 1000, offset: 0).reversed().map(\.name)
            .filter { !attempts.contains($0) }
    }

    func mail(_ address: String) throws -> CanonicalIdentifier {
        try CanonicalIdentifier(type: "email_address", value: address)
    }

    func phone(_ number: String) throws -> CanonicalIdentifier {
        try CanonicalIdentifier(type: "phone_number", value: number)
    }

    /// A user that is in the store, without an event.
    func addUser(
        _ address: String = "ada@example.com", app: AppID? = nil, status: User.Status = .active,
        externalID: String? = nil, passwordHash: String? = nil, createdAt: Timestamp? = nil
    ) async throws -> User {
        let user = User(
            id: environment.newID("usr"), appID: app ?? self.app, status: status, externalID: externalID,
            identifiers: [try mail(address)], hasPassword: passwordHash != nil, createdAt: createdAt ?? now)
        try #require(try await store.perform(CreateUser(user, passwordHash: passwordHash, events: [])) == .created)
        return user
    }
}

/// Bytes that never repeat, from a counter.
private final class CountingBytes: Sendable {
    private let counter = Mutex<UInt64>(0)

    @Sendable func next(_ count: Int) -> [UInt8] {
        let value = counter.withLock { counter in
            counter += 1
            return counter
        }
        return (0..<count).map { $0 < count - 8 ? 0 : UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }
}
