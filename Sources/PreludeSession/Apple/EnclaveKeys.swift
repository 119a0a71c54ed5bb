internal import Foundation

/// Device keys in an enclave, with their blobs in a credential store. Software keys on devices without an enclave, and where
/// the enclave creates no keys.
struct EnclaveKeys: PreludeDeviceKeyStore {
    let enclave: any KeyEnclave
    let store: any PreludeCredentialStore
    var log = SessionLog.none

    private var software: PreludeSoftwareDeviceKeyStore { PreludeSoftwareDeviceKeyStore(store: store) }

    private struct Record: VersionedRecord {
        static let recordName = RecordName.enclaveKey

        var version = Record.currentVersion
        /// Opaque. Only the enclave that created it can use it.
        let blob: Data
    }

    private struct EnclaveKey: PreludeDeviceKey {
        let enclave: any KeyEnclave
        let blob: Data
        let publicKey: Data

        func signature(for message: Data) throws -> Data {
            do {
                return try enclave.signature(by: blob, for: message)
            } catch {
                throw enclave.error(forRejected: blob)
            }
        }
    }

    /// - Throws: `.deviceKeyLost` for a blob that the enclave rejects, for example after a move to another device, and for
    ///   a damaged record. The next login creates a new key.
    func key(_ name: String) async throws -> (any PreludeDeviceKey)? {
        guard let content = try await records(name).read(Record.self) else {
            // A session that began without an enclave keeps its software key.
            return try await software.key(name)
        }
        return try key(in: try content.record(orThrow: .damagedDeviceKey).blob)
    }

    func makeKey(_ name: String) async throws -> any PreludeDeviceKey {
        guard let key = makeEnclaveKey() else { return try await makeSoftwareKey(name) }
        try await records(name).write(Record(blob: key.blob))
        // `key(_:)` prefers the blob, so a software key that cannot be deleted now has no effect.
        try? await software.deleteKey(name)
        return key
    }

    /// A new key in the enclave. `nil` without an enclave, or if it says that it is available and creates no key.
    private func makeEnclaveKey() -> EnclaveKey? {
        guard enclave.isAvailable else { return nil }
        // Twice, because a software key stays until it is lost.
        for _ in 1...2 {
            if let blob = try? enclave.makeKey(), let publicKey = try? enclave.publicKey(of: blob) {
                return EnclaveKey(enclave: enclave, blob: blob, publicKey: publicKey)
            }
        }
        log(.warning, "the Secure Enclave creates no key, so the device key is a software key")
        return nil
    }

    /// A software key instead. On a locked device the store refuses it, and no key is created.
    private func makeSoftwareKey(_ name: String) async throws -> any PreludeDeviceKey {
        let key = try await software.makeKey(name)
        // `key(_:)` prefers a blob, so a remaining blob would hide the software key.
        try await records(name).delete(Record.self)
        return key
    }

    private func key(in blob: Data) throws -> EnclaveKey {
        do {
            return EnclaveKey(enclave: enclave, blob: blob, publicKey: try enclave.publicKey(of: blob))
        } catch {
            throw enclave.error(forRejected: blob)
        }
    }

    private func records(_ name: String) -> RecordStore { RecordStore(store: store, endpoint: name) }
}

/// A chip that creates keys and returns blobs that only the chip can use: the SDK's view of the Secure Enclave.
///
/// It is not behind `#if`, so that the decisions about its errors are tested on every system.
protocol KeyEnclave: Sendable {
    /// Whether the device has such a chip.
    var isAvailable: Bool { get }
    /// Creates a P-256 key and returns its blob.
    func makeKey() throws -> Data
    /// `x ‖ y` of the key in a blob.
    func publicKey(of blob: Data) throws -> Data
    /// `r ‖ s` by the key in a blob, over SHA-256.
    func signature(by blob: Data, for message: Data) throws -> Data
}

extension KeyEnclave {
    /// The error for a rejected blob: lost, or not usable now.
    ///
    /// The chip's own errors do not distinguish the two. So it creates and uses a new key: if that succeeds, the blob is
    /// invalid.
    func error(forRejected blob: Data) -> PreludeSessionError {
        let works = (try? signature(by: makeKey(), for: blob)) != nil
        guard works || !isAvailable else {
            return .deviceLocked("the Secure Enclave does not respond; unlock the device and try again")
        }
        return .deviceKeyLost("the Secure Enclave rejects the device key of this session; sign in again")
    }
}
