internal import Foundation
internal import NIOPosix
internal import Synchronization

/// The system's resolver, on threads that neither the event loops nor the cooperative pool need.
///
/// A look-up cannot be stopped, only no longer be waited for. So there is a fixed number of threads, and all who ask for
/// one host share one: a name whose servers hang costs the others a thread, not the way out.
final class SystemHostResolver: HostResolver {
    /// Threads that live as long as the process; most of the time they sleep.
    private static let sharedThreads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 16)
        pool.start()
        return pool
    }()

    private let threads: NIOThreadPool
    private let lookUp: @Sendable (String) throws -> [String]
    /// Who waits for a look-up that is under way, by host.
    private let waiting = Mutex<[String: [AbandonableAnswer<[String]>]]>([:])

    convenience init() {
        self.init(threads: Self.sharedThreads) { try AddressInfo.addresses(of: $0) }
    }

    /// - Parameter lookUp: What may block for long.
    init(threads: NIOThreadPool, lookUp: @escaping @Sendable (String) throws -> [String]) {
        self.threads = threads
        self.lookUp = lookUp
    }

    func addresses(of host: String) async throws -> [String] {
        try await AbandonableAnswer.wait { answer in
            let isFirst = waiting.withLock { waiting in
                waiting[host, default: []].append(answer)
                return waiting[host]?.count == 1
            }
            if isFirst { start(host) }
        }
    }

    private func start(_ host: String) {
        threads.submit { [self] state in
            // Nobody waits for it any more, or the process ends.
            let abandoned: [AbandonableAnswer<[String]>]? = waiting.withLock { waiting in
                if case .active = state, waiting[host]?.contains(where: \.isAwaited) ?? false { return nil }
                return waiting.removeValue(forKey: host) ?? []
            }
            guard abandoned == nil else {
                for answer in abandoned ?? [] { answer.cancel() }
                return
            }
            let result = Result { try lookUp(host) }
            for answer in waiting.withLock({ $0.removeValue(forKey: host) ?? [] }) { answer.give(result) }
        }
    }
}
