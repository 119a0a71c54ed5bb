internal import Foundation
internal import NIOPosix
internal import SessionDomain
internal import Synchronization

/// Finds the addresses of a host. Tests replace it with resolvers that return false addresses.
package protocol HostResolver: Sendable {
    /// Returns the addresses as text, the preferred one first.
    ///
    /// An address in any spelling resolves to itself. When the task is cancelled, this throws at once: the deadline of
    /// a call depends on it.
    ///
    /// - Throws: `HostResolutionError`, or `CancellationError`.
    func addresses(of host: String) async throws -> [String]
}

/// A host has no address, or the resolver failed.
package struct HostResolutionError: Error {
    /// The resolver's own message.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

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

/// Calls `getaddrinfo` (RFC 3493 §6.1).
enum AddressInfo {
    /// Returns all addresses of a host, in the order of RFC 6724. Blocks.
    static func addresses(of host: String) throws(HostResolutionError) -> [String] { try call(host, flags: 0) }

    /// Returns the address that a text denotes, in any spelling that the system knows, such as `127.1`. Sends no query.
    static func literal(_ text: String) -> String? { try? call(text, flags: AI_NUMERICHOST).first }

    private static func call(_ host: String, flags: Int32) throws(HostResolutionError) -> [String] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { throw HostResolutionError(reason: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }

        var addresses: [String] = []
        var next = list
        while let entry = next {
            if let address = text(entry.pointee) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func text(_ entry: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
