internal import Foundation
internal import NIOPosix
internal import SessionDomain
internal import Synchronization

/// The system's resolver, on threads apart from the event loops and the cooperative pool.
///
/// A look-up blocks its thread and cannot be stopped. So the number of threads is fixed, and all callers that resolve
/// the same host share one look-up. A host whose name servers hang blocks one thread; other hosts use the remaining
/// ones.
final class SystemHostResolver: HostResolver {
    /// Shared by all resolvers. The threads live as long as the process.
    private static let sharedThreads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 16)
        pool.start()
        return pool
    }()

    private let threads: NIOThreadPool
    private let lookUp: @Sendable (String) throws -> [String]
    /// The callers that wait for a running look-up, by host.
    private let waiting = Mutex<[String: [CancellableContinuation<[String]>]]>([:])

    convenience init() {
        self.init(threads: Self.sharedThreads) { try AddressInfo.addresses(of: $0) }
    }

    /// - Parameter lookUp: Resolves a host. May block for a long time.
    init(threads: NIOThreadPool, lookUp: @escaping @Sendable (String) throws -> [String]) {
        self.threads = threads
        self.lookUp = lookUp
    }

    func addresses(of host: String) async throws -> [String] {
        // An address needs no look-up, and so no other thread.
        if IPNetwork.isAddress(host) { return [host] }
        return try await CancellableContinuation.wait { continuation in
            let isFirst = waiting.withLock { waiting in
                waiting[host, default: []].append(continuation)
                return waiting[host]?.count == 1
            }
            if isFirst { start(host) }
        }
    }

    private func start(_ host: String) {
        threads.submit { [self] state in
            // No caller waits any more, or the process is ending.
            let abandoned: [CancellableContinuation<[String]>]? = waiting.withLock { waiting in
                if case .active = state, waiting[host]?.contains(where: \.isAwaited) ?? false { return nil }
                return waiting.removeValue(forKey: host) ?? []
            }
            guard abandoned == nil else {
                for continuation in abandoned ?? [] { continuation.cancel() }
                return
            }
            let result = Result { try lookUp(host) }
            for continuation in waiting.withLock({ $0.removeValue(forKey: host) ?? [] }) {
                continuation.resume(with: result)
            }
        }
    }
}
