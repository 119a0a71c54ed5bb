internal import Crypto
internal import Foundation
internal import SessionTokens
internal import Synchronization

/// Creates, lists, checks and revokes keys of the management API. A key is valid for one app or for all.
package struct ManagementKeys: Sendable {
    private let store: any ManagementKeyStore
    private let configured: [ManagementKey]
    private let sources: SourceLimiter
    private let uses = ManagementKeyUses()
    private let wrongKeyLimit: RateLimit
    private let environment: ServiceEnvironment

    /// Wrong keys that one address may send in ten minutes, unless the configuration says otherwise.
    package static let wrongKeys = 20

    /// - Parameter wrongKeys: Wrong keys that one address may send in ten minutes.
    package init(
        store: any ManagementKeyStore, configured: [ConfiguredManagementKey] = [], sources: SourceLimiter,
        wrongKeys: Int = ManagementKeys.wrongKeys, environment: ServiceEnvironment
    ) {
        wrongKeyLimit = RateLimit(limit: wrongKeys, window: 600)
        self.store = store
        self.configured = configured.map(\.key)
        self.sources = sources
        self.environment = environment
    }

    /// Returns a new secret of 256 random bits.
    package static func newSecret(_ environment: ServiceEnvironment) -> String {
        "psk_" + Base64URL.encode(environment.randomBytes(32))
    }

    /// SHA-256 in base64url.
    static func hash(_ secret: String) -> String { Base64URL.encode(SHA256.hash(data: Data(secret.utf8))) }
}

// MARK: Checking

extension ManagementKeys {
    /// Returns the valid key with this secret, and notes its use.
    ///
    /// - Parameter app: The id of the app that the key must be valid for. `nil`: all apps.
    /// - Throws: `Refusal.unauthorized` without one; `.rateLimited` if the address has sent too many wrong keys. A valid
    ///   key is never limited.
    package func authenticate(_ secret: String?, app: String?, source: SourceAddress) async throws -> ManagementKey {
        try await authenticate(secret, source: source) { $0.appID == nil || $0.appID?.rawValue == app }
    }

    /// Returns the valid key with this secret, whatever app it is valid for, and notes its use.
    ///
    /// - Throws: As `authenticate` for an app.
    package func authenticate(
        _ secret: String?, source: SourceAddress, where isValid: (ManagementKey) -> Bool = { _ in true }
    ) async throws -> ManagementKey {
        guard let secret else { throw Refusal.unauthorized }
        let now = environment.now()
        guard let key = try await found(hash: Self.hash(secret)), key.isValid(at: now), isValid(key) else {
            try await sources.take(
                .sourceManagementKeys, for: .management, source: source, limit: wrongKeyLimit, now: now,
                reporting: events, to: store)
            throw Refusal.unauthorized
        }
        noteUse(of: key, at: now)
        return key
    }

    /// Returns the valid key with this hash, and notes its use. `nil` for one that has expired or was revoked.
    func key(hash: String) async throws -> ManagementKey? {
        let now = environment.now()
        guard let key = try await found(hash: hash), key.isValid(at: now) else { return nil }
        noteUse(of: key, at: now)
        return key
    }

    private func noteUse(of key: ManagementKey, at now: Timestamp) {
        if key.createdBy != .configuration { uses.note(key.id, at: now) }
    }

    /// Configured hashes are compared in constant time.
    ///
    /// The look-up by hash takes variable time. That reveals nothing usable about a secret of 256 random bits.
    private func found(hash: String) async throws -> ManagementKey? {
        let matches = configured.filter { ConstantTime.equal($0.hash, hash) }
        if let match = matches.first { return match }
        return try await store.managementKey(hash: hash)
    }

    /// Stores the last uses of keys. Housekeeping calls it once a minute.
    package func recordUses() async throws {
        let uses = uses.take()
        guard !uses.isEmpty else { return }
        do {
            try await store.perform(RecordManagementKeyUses(uses))
        } catch {
            self.uses.putBack(uses)
            throw error
        }
    }
}

// MARK: Managing

extension ManagementKeys {
    /// Creates a key of 256 random bits. Its secret is returned only here; the store keeps a hash.
    ///
    /// - Parameters:
    ///   - expiresAt: `nil`: when the key that creates it expires, or never.
    ///   - creator: The key, or the rights of the operator, that creates it. `nil`: the command line does.
    /// - Throws: `Refusal.invalidField` for an invalid name or expiry; `.forbidden` for more rights than the creator's;
    ///   `.conflict` if `ManagementKey.maximumPerApp` keys are stored.
    package func create(
        name: String, app: AppID?, role: ManagementKey.Role = .write, expiresAt: Timestamp? = nil,
        by creator: ManagementKey? = nil
    ) async throws -> (key: ManagementKey, secret: String) {
        let name = try DisplayName.checked(name)
        let (secret, now) = (Self.newSecret(environment), environment.now())
        if let expiresAt, expiresAt <= now { throw Refusal.invalidField("expires_at", "must be in the future") }
        let key = ManagementKey(
            id: environment.newID("mk"), name: name, appID: app, hash: Self.hash(secret), role: role,
            createdBy: creator.map(\.asCreator) ?? .commandLine, createdAt: now,
            expiresAt: expiresAt ?? creator?.expiresAt)
        // The transaction compares with the row of a stored key. An operator has none.
        if let creator, !creator.isStored, let excess = creator.excess(of: key) {
            return (try created(.exceeds(excess), for: app), secret)
        }
        let stored = creator.flatMap { $0.isStored ? $0.id : nil }
        return (
            try created(try await store.perform(InsertManagementKey(key, creatorID: stored, events: events)), for: app),
            secret
        )
    }

    /// Returns all stored keys. Configured keys are not stored.
    package func all() async throws -> [ManagementKey] {
        try await store.managementKeys().map { stored in
            var key = stored
            if let used = uses.last(of: key.id) { key.lastUsedAt = used }
            return key
        }
    }

    /// Returns the keys of one app, without the keys for all apps.
    package func all(of app: AppID) async throws -> [ManagementKey] { try await all().filter { $0.appID == app } }

    /// Revokes a key with the keys that it created, and returns the ids of all of them.
    ///
    /// - Parameter app: Keys of another app are unknown. `nil`: every key can be revoked.
    @discardableResult
    package func revoke(id: String, of app: AppID? = nil) async throws -> [String] {
        let revoked = try await store.perform(RevokeManagementKey(id: id, app: app, events: events))
        guard !revoked.isEmpty else { throw Refusal.notFound("there is no such management key") }
        return revoked
    }

    /// Replaces a key by one with another secret. The old secret is invalid at once.
    package func rotate(
        id: String, of app: AppID, by creator: ManagementKey
    ) async throws -> (key: ManagementKey, secret: String) {
        let secret = Self.newSecret(environment)
        let rotation = RotateManagementKey(
            id: id, app: app, newID: environment.newID("mk"), newHash: Self.hash(secret), creator: creator,
            now: environment.now(), events: events)
        guard let creation = try await store.perform(rotation) else {
            throw Refusal.notFound("there is no such management key")
        }
        return (try created(creation, for: app), secret)
    }

    /// Makes events that belong to no app. An intent moves them to the app of its key.
    private var events: EventFactory { EventFactory(appID: .service, environment: environment) }

    private func created(_ creation: ManagementKeyCreation, for app: AppID?) throws(Refusal) -> ManagementKey {
        switch creation {
        case .created(let key): return key
        case .creatorInvalid: throw .unauthorized
        case .exceeds(.role): throw .forbidden("a key with the role read cannot create a key with the role write")
        case .exceeds(.app): throw .forbidden("a key of one app cannot create a key of another app")
        case .exceeds(.expiry): throw .forbidden("a key cannot create a key that expires later than itself")
        case .exceeds(.ancestor): throw .forbidden("a key cannot rotate the key that created it, or one above that")
        case .tooMany:
            let maximum = ManagementKey.maximumPerApp
            throw .conflict(
                app == nil
                    ? "there are at most \(maximum) management keys for all apps"
                    : "an app has at most \(maximum) management keys")
        }
    }
}

/// The last uses of management keys in this process that are not stored yet. A use costs no write.
private final class ManagementKeyUses: Sendable {
    private let times = Mutex<[String: Timestamp]>([:])

    func note(_ id: String, at now: Timestamp) { times.withLock { $0[id] = now } }

    /// The last use of a key that is not stored yet.
    func last(of id: String) -> Timestamp? { times.withLock { $0[id] } }

    /// Returns all uses and forgets them.
    func take() -> [String: Timestamp] {
        times.withLock { times in
            defer { times = [:] }
            return times
        }
    }

    /// Adds uses again that could not be stored. Later ones stay.
    func putBack(_ uses: [String: Timestamp]) { times.withLock { $0.merge(uses) { max($0, $1) } } }
}

/// Stores when management keys were last used.
package struct RecordManagementKeyUses: Intent {
    /// The times by the ids of the keys.
    package let uses: [String: Timestamp]

    package init(_ uses: [String: Timestamp]) { self.uses = uses }

    package var reads: Read<Void> { Read(app: nil) }

    package func decide(_: Void) -> Decision<Void> {
        Decision((), uses.sorted { $0.key < $1.key }.map { .recordManagementKeyUse(id: $0.key, at: $0.value) })
    }
}
