public import Foundation
public import PreludeSession
import Synchronization

/// A credential store that refuses what a test tells it to, as a locked device or a full disk does.
public final class FaultyCredentialStore: CredentialStore {
    /// What is refused with `.storageUnavailable`.
    public enum Refusal: Sendable, Hashable {
        /// Nothing: the store works.
        case nothing
        /// Reading: what is stored is there, but not to be had now.
        case reads
        /// Writing and deleting, as on a full disk.
        case writes
        /// Everything: the device is locked.
        case everything
    }

    private let store: any CredentialStore
    private let state = Mutex(Refusal.nothing)

    /// A store that works until it is told otherwise.
    ///
    /// - Parameter store: Where the credentials are while nothing is refused.
    public init(wrapping store: any CredentialStore = InMemoryCredentialStore()) { self.store = store }

    /// What is refused now.
    public var refuses: Refusal {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Locks the device: neither reads nor writes.
    public func lock() { refuses = .everything }

    /// Unlocks the device.
    public func unlock() { refuses = .nothing }

    private func check(_ use: Refusal) throws {
        let refused = refuses
        guard refused != use, refused != .everything else {
            throw PreludeSessionError.storageUnavailable("the test refuses it; call unlock() to allow it again")
        }
    }

    public func read(_ name: String) async throws -> Data? {
        try check(.reads)
        return try await store.read(name)
    }

    public func write(_ data: Data, to name: String) async throws {
        try check(.writes)
        try await store.write(data, to: name)
    }

    public func delete(_ name: String) async throws {
        try check(.writes)
        try await store.delete(name)
    }

    public func withLock<Answer: Sendable>(
        _ name: String, _ work: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await store.withLock(name, work)
    }
}
