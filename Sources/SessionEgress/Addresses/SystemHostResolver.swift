internal import Foundation
internal import NIOPosix

/// The system's resolver, on threads that neither the event loops nor the cooperative pool need.
///
/// A look-up cannot be stopped, only no longer be waited for. So there are a few threads and no more: when the name
/// servers hang, look-ups wait for a thread until their callers' deadlines pass.
struct SystemHostResolver: HostResolver {
    static let threadCount = 4

    /// Lives as long as the process.
    private static let threads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: threadCount)
        pool.start()
        return pool
    }()

    private let lookUp: @Sendable (String) throws -> [String]

    /// - Parameter lookUp: What may block for long.
    init(lookUp: @escaping @Sendable (String) throws -> [String] = { try AddressInfo.addresses(of: $0) }) {
        self.lookUp = lookUp
    }

    func addresses(of host: String) async throws -> [String] {
        let answer = AbandonableAnswer<[String]>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.wait(continuation)
                Self.threads.submit { state in
                    // Nobody waits for it any more, or the process ends.
                    guard case .active = state, answer.isAwaited else { return answer.cancel() }
                    answer.give(Result { try lookUp(host) })
                }
            }
        } onCancel: {
            answer.cancel()
        }
    }
}
