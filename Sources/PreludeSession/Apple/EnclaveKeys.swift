internal import Foundation

/// Keys in an enclave, their blobs in a credential store; software keys where there is no enclave.
struct EnclaveKeys: DeviceKeyStore {
    let enclave: any KeyEnclave
    let store: any CredentialStore

    private var software: SoftwareDeviceKeyStore { SoftwareDeviceKeyStore(store: store) }

    private struct Record: Codable {
        var version = 1
        /// Opaque, and of no use to any other chip.
        let blob: Data
    }

    private struct EnclaveKey: DeviceKey {
        let enclave: any KeyEnclave
        let blob: Data
        let publicKey: Data

        func signature(for message: Data) throws -> Data {
            do {
                return try enclave.signature(by: blob, for: message)
            } catch {
                throw enclave.refusal(of: blob)
            }
        }
    }

    /// - Throws: `.deviceKeyLost` for a blob that the enclave refuses, as after a move to another device, and for a record
    ///   that nobody understands: a login makes a new key.
    func key(_ name: String) async throws -> (any DeviceKey)? {
        guard let data = try await store.read(Self.record(name)) else {
            // A session that began without an enclave goes on with the key it has.
            return try await software.key(name)
        }
        return try key(in: try KeyRecord.decode(Record.self, from: data).blob)
    }

    func makeKey(_ name: String) async throws -> any DeviceKey {
        guard enclave.isAvailable else {
            // A blob that is left would be found first.
            try await store.delete(Self.record(name))
            return try await software.makeKey(name)
        }
        let key: EnclaveKey
        do {
            let blob = try enclave.makeKey()
            key = EnclaveKey(enclave: enclave, blob: blob, publicKey: try enclave.publicKey(of: blob))
        } catch {
            throw PreludeSessionError.storageUnavailable(
                "the Secure Enclave cannot make a key; unlock the device and try again")
        }
        try await store.write(try JSONEncoder().encode(Record(blob: key.blob)), to: Self.record(name))
        // The blob is found first from here on, so this is tidying: it may fail and be done by the next one.
        try? await store.delete(SoftwareDeviceKeyStore.record(name))
        return key
    }

    private func key(in blob: Data) throws -> EnclaveKey {
        do {
            return EnclaveKey(enclave: enclave, blob: blob, publicKey: try enclave.publicKey(of: blob))
        } catch {
            throw enclave.refusal(of: blob)
        }
    }

    static func record(_ name: String) -> String { name + ".enclave-key" }
}
