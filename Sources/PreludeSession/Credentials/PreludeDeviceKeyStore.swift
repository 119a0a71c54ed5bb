internal import Crypto
public import Foundation
internal import SessionTokens

/// The device's P-256 private key.
public protocol PreludeDeviceKey: Sendable {
    /// The public key: `x ‖ y`, 64 bytes (SEC 1 §2.3.3 without the first byte).
    var publicKey: Data { get }
    /// An ECDSA signature with SHA-256: `r ‖ s`, 64 bytes (RFC 7518 §3.4).
    ///
    /// - Parameter message: The message, not hashed.
    /// - Throws: `PreludeSessionError.storageUnavailable` when the key cannot sign now; `.deviceKeyLost` when it never will.
    func signature(for message: Data) throws -> Data
}

/// Creates and finds the device key.
///
/// Errors other than `PreludeSessionError` and `CancellationError` are reported as `.storageUnavailable` with their type
/// name only.
public protocol PreludeDeviceKeyStore: Sendable {
    /// The key of a session; `nil` only when it is certain that there is none.
    ///
    /// - Parameter name: Plain text, the same for the same service.
    /// - Throws: `PreludeSessionError.storageUnavailable` when the store cannot be read now; `.deviceKeyLost` when there
    ///   was a key that will never sign again.
    func key(_ name: String) async throws -> (any PreludeDeviceKey)?
    /// Creates a key and replaces an existing one.
    ///
    /// - Parameter name: As for `key(_:)`.
    /// - Throws: `PreludeSessionError.storageUnavailable` when no key can be created or stored now.
    func makeKey(_ name: String) async throws -> any PreludeDeviceKey
}

/// A software key in a credential store, for devices without key hardware.
public struct PreludeSoftwareDeviceKeyStore: PreludeDeviceKeyStore {
    private let store: any PreludeCredentialStore

    /// Creates a store of software keys.
    ///
    /// - Parameter store: Keeps the private key. Anyone who can read it can sign.
    public init(store: any PreludeCredentialStore) { self.store = store }

    private struct Record: VersionedRecord {
        static let recordName = RecordName.softwareKey

        var version = Record.currentVersion
        let key: Data
    }

    private struct SoftwareKey: PreludeDeviceKey {
        let key: P256.Signing.PrivateKey
        var publicKey: Data { key.publicKey.rawRepresentation }
        func signature(for message: Data) throws -> Data {
            try key.signature(for: SHA256.digest(of: message)).rawRepresentation
        }
    }

    public func key(_ name: String) async throws -> (any PreludeDeviceKey)? {
        guard let content = try await records(name).read(Record.self) else { return nil }
        let record = try content.record(orThrow: .damagedDeviceKey)
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: record.key) else {
            throw PreludeSessionError.damagedDeviceKey
        }
        return SoftwareKey(key: key)
    }

    public func makeKey(_ name: String) async throws -> any PreludeDeviceKey {
        let key = P256.Signing.PrivateKey()
        try await records(name).write(Record(key: key.rawRepresentation))
        return SoftwareKey(key: key)
    }

    /// Deletes the key.
    func deleteKey(_ name: String) async throws { try await records(name).delete(Record.self) }

    private func records(_ name: String) -> RecordStore { RecordStore(store: store, endpoint: name) }
}

extension PreludeSessionError {
    /// The device key's record is damaged. The next login creates a new key.
    static let damagedDeviceKey = PreludeSessionError.deviceKeyLost(
        "the record of the device key is damaged; sign in again")
}

/// Converts all errors of a device key store and its keys into errors of the SDK.
struct GuardedDeviceKeyStore: PreludeDeviceKeyStore {
    let keys: any PreludeDeviceKeyStore

    private struct Key: PreludeDeviceKey {
        let key: any PreludeDeviceKey
        var publicKey: Data { key.publicKey }

        func signature(for message: Data) throws -> Data {
            do {
                return try key.signature(for: message)
            } catch {
                throw PreludeSessionError.storageError(error, of: "the device key")
            }
        }
    }

    func key(_ name: String) async throws -> (any PreludeDeviceKey)? {
        do {
            return try await keys.key(name).map(Key.init)
        } catch {
            throw PreludeSessionError.storageError(error, of: "the device key store")
        }
    }

    func makeKey(_ name: String) async throws -> any PreludeDeviceKey {
        do {
            return Key(key: try await keys.makeKey(name))
        } catch {
            throw PreludeSessionError.storageError(error, of: "the device key store")
        }
    }
}
