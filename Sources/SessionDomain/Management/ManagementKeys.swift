internal import Crypto
internal import Foundation
internal import SessionTokens

/// Creates, lists, checks and revokes keys of the management API. A key is valid for one app or for all.
package struct ManagementKeys: Sendable {
    private let store: any ManagementKeyStore
    private let environment: ServiceEnvironment

    package init(store: any ManagementKeyStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Creates a key of 256 random bits. Its secret is returned only here; the store keeps a hash.
    package func create(name: String, app: AppID?) async throws -> (key: ManagementKey, secret: String) {
        let secret = "psk_" + Base64URL.encode(environment.randomBytes(32))
        let key = try makeKey(secret, name: name, app: app)
        try await store.perform(InsertManagementKey(key, mustBeNew: true, events: events))
        return (key, secret)
    }

    /// Stores a secret chosen by the operator as a key for all apps, unless it exists already.
    ///
    /// - Throws: `Refusal.invalidField` if the secret is short enough to be guessed.
    package func ensure(secret: String, name: String) async throws {
        guard secret.utf8.count >= 16 else {
            throw Refusal.invalidField("management key", "must have at least 16 characters")
        }
        try await store.perform(
            InsertManagementKey(try makeKey(secret, name: name, app: nil), mustBeNew: false, events: events))
    }

    package func all() async throws -> [ManagementKey] { try await store.managementKeys() }

    package func revoke(id: String) async throws {
        guard try await store.perform(DeleteManagementKey(id: id, events: events)) else {
            throw Refusal.notFound("there is no such management key")
        }
    }

    /// Returns the keys of one app, without the keys for all apps.
    package func all(of app: AppID) async throws -> [ManagementKey] {
        try await store.managementKeys().filter { $0.appID == app }
    }

    package func revoke(id: String, of app: AppID) async throws {
        guard try await all(of: app).contains(where: { $0.id == id }) else {
            throw Refusal.notFound("there is no such management key")
        }
        try await revoke(id: id)
    }

    /// Creates a key with the same name, then revokes the old one. A crash in between leaves two keys, never none.
    package func rotate(id: String, of app: AppID) async throws -> (key: ManagementKey, secret: String) {
        guard let old = try await all(of: app).first(where: { $0.id == id }) else {
            throw Refusal.notFound("there is no such management key")
        }
        let new = try await create(name: old.name, app: app)
        try await revoke(id: id)
        return new
    }

    /// Returns the key with this secret, if there is one.
    ///
    /// The look-up by hash takes variable time. That reveals nothing usable about a secret of 256 random bits.
    package func key(_ secret: String) async throws -> ManagementKey? {
        try await store.managementKey(hash: Self.hash(secret))
    }

    private func makeKey(_ secret: String, name: String, app: AppID?) throws(Refusal) -> ManagementKey {
        guard (1...100).contains(name.unicodeScalars.count) else {
            throw .invalidField("name", "must have 1 to 100 characters")
        }
        return ManagementKey(
            id: environment.newID("mk"), name: name, appID: app, hash: Self.hash(secret), createdAt: environment.now())
    }

    /// Makes events that belong to no app. An intent moves them to the app of its key.
    private var events: EventFactory { EventFactory(appID: .service, environment: environment) }

    private static func hash(_ secret: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(secret.utf8)))
    }
}
