public import Foundation
public import PreludeSession
import Synchronization

/// A credential store that fails on request, like a locked device or a full disk.
public final class FaultyCredentialStore: PreludeCredentialStore {
    /// The operations that throw `.storageUnavailable`.
    public enum Refusal: Sendable, Hashable {
        /// No operation: the store works.
        case nothing
        /// Reading. The stored data still exists.
        case reads
        /// Writing and deleting, as on a full disk.
        case writes
        /// Every operation, as on a locked device.
        case everything
    }

    private let store: any PreludeCredentialStore
    private let state = Mutex(Refusal.nothing)

    /// Creates a store that works until a test makes it fail.
    ///
    /// - Parameter store: Holds the credentials.
    public init(wrapping store: any PreludeCredentialStore = PreludeInMemoryCredentialStore()) { self.store = store }

    /// The operations that fail now.
    public var refuses: Refusal {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Locks the device: every operation fails.
    public func lock() { refuses = .everything }

    /// Unlocks the device: every operation works.
    public func unlock() { refuses = .nothing }

    private func check(_ use: Refusal) throws {
        let refused = refuses
        guard refused != use, refused != .everything else {
            throw PreludeSessionError.deviceLocked("the test makes the store fail; call unlock() to end that")
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
