internal import Foundation

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
