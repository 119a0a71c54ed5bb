internal import Foundation

/// A key store whose failures, and those of its keys, are errors of the SDK whatever it throws.
struct GuardedDeviceKeyStore: DeviceKeyStore {
    let keys: any DeviceKeyStore

    private struct Key: DeviceKey {
        let key: any DeviceKey
        var publicKey: Data { key.publicKey }

        func signature(for message: Data) throws -> Data {
            do {
                return try key.signature(for: message)
            } catch {
                throw PreludeSessionError.ofStorage(error, "the device key")
            }
        }
    }

    func key(_ name: String) async throws -> (any DeviceKey)? {
        do {
            return try await keys.key(name).map(Key.init)
        } catch {
            throw PreludeSessionError.ofStorage(error, "the store of device keys")
        }
    }

    func makeKey(_ name: String) async throws -> any DeviceKey {
        do {
            return Key(key: try await keys.makeKey(name))
        } catch {
            throw PreludeSessionError.ofStorage(error, "the store of device keys")
        }
    }
}
