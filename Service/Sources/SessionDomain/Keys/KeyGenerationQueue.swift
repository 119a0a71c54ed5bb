internal import Dispatch

/// Generates keys on a thread of its own: an RSA key takes some tenths of a second, and requests must not wait for it.
enum KeyGenerationQueue {
    private static let queue = DispatchQueue(label: "prelude-session.key-generation")

    static func run<Key: Sendable>(_ generate: @escaping @Sendable () throws -> Key) async throws -> Key {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try generate() }) }
        }
    }
}
