internal import Dispatch

/// Where keys are generated: a thread beside those that serve requests, for RSA takes some tenths of a second.
enum KeyGenerationQueue {
    private static let queue = DispatchQueue(label: "prelude-session.key-workshop")

    static func run<Made: Sendable>(_ make: @escaping @Sendable () throws -> Made) async throws -> Made {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try make() }) }
        }
    }
}
