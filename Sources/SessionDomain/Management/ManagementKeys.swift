internal import Crypto
internal import Foundation
internal import SessionTokens

/// The keys of the management API: shown once, stored hashed, good for one app or all.
package struct ManagementKeys: Sendable {
    private let store: any ManagementKeyStore
    private let environment: ServiceEnvironment

    package init(store: any ManagementKeyStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Makes a key of 256 random bits. This is the only time its value is to be had.
    package func create(name: String, app: AppID?) async throws -> (key: ManagementKey, secret: String) {
        let secret = "psk_" + Base64URL.encode(environment.randomBytes(32))
        let key = try record(secret, name: name, app: app)
        try await store.perform(InsertManagementKey(key, mustBeNew: true))
        return (key, secret)
    }

    /// Makes sure that a key chosen by the operator is good for all apps.
    ///
    /// - Throws: `Refusal.invalidField` for one short enough to be guessed.
    package func ensure(secret: String, name: String) async throws {
        guard secret.utf8.count >= 16 else {
            throw Refusal.invalidField("management key", "must have at least 16 characters")
        }
        try await store.perform(
            InsertManagementKey(try record(secret, name: name, app: nil), mustBeNew: false))
    }

    package func all() async throws -> [ManagementKey] { try await store.managementKeys() }

    package func revoke(id: String) async throws {
        guard try await store.perform(DeleteManagementKey(id: id)) else {
            throw Refusal.notFound("there is no such management key")
        }
    }

    /// The keys of one app, not those that are good for every app.
    package func all(of app: AppID) async throws -> [ManagementKey] {
        try await store.managementKeys().filter { $0.appID == app }
    }

    package func revoke(id: String, of app: AppID) async throws {
        guard try await all(of: app).contains(where: { $0.id == id }) else {
            throw Refusal.notFound("there is no such management key")
        }
        try await revoke(id: id)
    }

    /// Makes a key of the same name and ends the old one, in this order: a crash between leaves two, never none.
    package func rotate(id: String, of app: AppID) async throws -> (key: ManagementKey, secret: String) {
        guard let old = try await all(of: app).first(where: { $0.id == id }) else {
            throw Refusal.notFound("there is no such management key")
        }
        let new = try await create(name: old.name, app: app)
        try await revoke(id: id)
        return new
    }

    /// The key with this secret, if there is one. Looking up a hash leaks nothing worth having of 256 bits.
    package func key(_ secret: String) async throws -> ManagementKey? {
        try await store.managementKey(hash: Self.hash(secret))
    }

    private func record(_ secret: String, name: String, app: AppID?) throws(Refusal) -> ManagementKey {
        guard (1...100).contains(name.unicodeScalars.count) else {
            throw .invalidField("name", "must have 1 to 100 characters")
        }
        return ManagementKey(
            id: environment.newID("mk"), name: name, appID: app, hash: Self.hash(secret), createdAt: environment.now())
    }

    private static func hash(_ secret: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(secret.utf8)))
    }
}
