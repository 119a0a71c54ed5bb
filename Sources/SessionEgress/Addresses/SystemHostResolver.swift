internal import Foundation
internal import NIOPosix

/// The system's resolver, on threads that neither the event loops nor the cooperative pool need.
///
/// A look-up cannot be stopped, only no longer be waited for. So there are a few threads and no more: when the name
/// servers hang, look-ups wait for a thread until their callers' deadlines pass.
struct SystemHostResolver: HostResolver {
    /// Four threads that live as long as the process.
    private static let sharedThreads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return pool
    }()

    private let threads: NIOThreadPool
    private let lookUp: @Sendable (String) throws -> [String]

    init() {
        self.init(threads: Self.sharedThreads) { try AddressInfo.addresses(of: $0) }
    }

    /// - Parameter lookUp: What may block for long.
    init(threads: NIOThreadPool, lookUp: @escaping @Sendable (String) throws -> [String]) {
        self.threads = threads
        self.lookUp = lookUp
    }

    func addresses(of host: String) async throws -> [String] {
        try await AbandonableAnswer.wait { answer in
            threads.submit { state in
                // Nobody waits for it any more, or the process ends.
                guard case .active = state, answer.isAwaited else { return answer.cancel() }
                answer.give(Result { try lookUp(host) })
            }
        }
    }
}
