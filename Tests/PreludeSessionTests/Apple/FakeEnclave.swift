import Crypto
import Foundation
import Synchronization

@testable import PreludeSession

/// An enclave in memory. Another enclave rejects its blobs.
final class FakeEnclave: KeyEnclave {
    /// Like CryptoKit's errors, it does not contain the reason.
    struct Refused: Error {}

    private struct State {
        var keys: [Data: P256.Signing.PrivateKey] = [:]
        var isAvailable = true
        var isLocked = false
        /// How many creations fail.
        var failures = 0
    }

    private let state = Mutex(State())

    var isAvailable: Bool { state.withLock { $0.isAvailable } }

    /// The number of keys that it has created and kept.
    var count: Int { state.withLock { $0.keys.count } }

    func remove() { state.withLock { $0.isAvailable = false } }
    func lock(_ isLocked: Bool) { state.withLock { $0.isLocked = isLocked } }
    /// The next creations of keys fail.
    func fail(_ count: Int) { state.withLock { $0.failures = count } }
    /// Deletes its keys, as "erase all contents" does.
    func forget() { state.withLock { $0.keys = [:] } }

    func makeKey() throws -> Data {
        try state.withLock { state in
            guard state.isAvailable, !state.isLocked else { throw Refused() }
            guard state.failures == 0 else {
                state.failures -= 1
                throw Refused()
            }
            let key = P256.Signing.PrivateKey()
            let blob = Data(SHA256.hash(data: key.rawRepresentation))
            state.keys[blob] = key
            return blob
        }
    }

    func publicKey(of blob: Data) throws -> Data { try key(blob).publicKey.rawRepresentation }

    func signature(by blob: Data, for message: Data) throws -> Data {
        try key(blob).signature(for: message).rawRepresentation
    }

    private func key(_ blob: Data) throws -> P256.Signing.PrivateKey {
        try state.withLock { state in
            guard state.isAvailable, !state.isLocked, let key = state.keys[blob] else { throw Refused() }
            return key
        }
    }
}
