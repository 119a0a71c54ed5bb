internal import Crypto
public import Foundation

/// The device's P-256 key, wherever it lives.
public protocol DeviceKey: Sendable {
    /// `x ‖ y`, 64 bytes (SEC 1 §2.3.3 without the first byte).
    var publicKey: Data { get }
    /// `r ‖ s`, 64 bytes: ECDSA over SHA-256 (RFC 7518 §3.4).
    ///
    /// - Parameter message: What is signed, not hashed yet.
    /// - Throws: `PreludeSessionError.storageUnavailable` when the key cannot sign now; `deviceKeyLost` when it never will.
    func signature(for message: Data) throws -> Data
}

/// Makes and finds the device's key. What it throws that is no `PreludeSessionError` and no `CancellationError` is taken for
/// `storageUnavailable`, and only its type is told.
public protocol DeviceKeyStore: Sendable {
    /// The key of a session under this name; `nil` when it is certain that there is none.
    ///
    /// - Parameter name: Plain text, the same for the same service.
    /// - Throws: `PreludeSessionError.storageUnavailable` when that cannot be told now; `deviceKeyLost` when there was
    ///   one that will never sign again.
    func key(_ name: String) async throws -> (any DeviceKey)?
    /// Makes a key in place of whatever is there.
    ///
    /// - Parameter name: As for `key(_:)`.
    /// - Throws: `PreludeSessionError.storageUnavailable` when none can be made or kept now.
    func makeKey(_ name: String) async throws -> any DeviceKey
}

/// A software key in a credential store, for where no hardware keeps one.
public struct SoftwareDeviceKeyStore: DeviceKeyStore {
    private let store: any CredentialStore

    /// Keys in a store.
    ///
    /// - Parameter store: Where the private key is kept; whoever reads it can sign.
    public init(store: any CredentialStore) { self.store = store }

    private struct Record: Codable {
        let version: Int
        let key: Data
    }

    private struct SoftwareKey: DeviceKey {
        let key: P256.Signing.PrivateKey
        var publicKey: Data { key.publicKey.rawRepresentation }
        func signature(for message: Data) throws -> Data { try key.signature(for: message).rawRepresentation }
    }

    public func key(_ name: String) async throws -> (any DeviceKey)? {
        guard let data = try await store.read(Self.record(name)) else { return nil }
        let record = try KeyRecord.decode(Record.self, from: data)
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: record.key) else { throw KeyRecord.lost }
        return SoftwareKey(key: key)
    }

    public func makeKey(_ name: String) async throws -> any DeviceKey {
        let key = P256.Signing.PrivateKey()
        try await store.write(
            try JSONEncoder().encode(Record(version: 1, key: key.rawRepresentation)), to: Self.record(name))
        return SoftwareKey(key: key)
    }

    static func record(_ name: String) -> String { name + ".key" }
}
