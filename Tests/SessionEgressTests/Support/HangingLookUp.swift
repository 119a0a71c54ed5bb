import Dispatch
import NIOPosix
import Synchronization

/// Look-ups that block, as they do when the name servers are gone, on threads of their own.
final class HangingLookUp: Sendable {
    static let threadCount = 2

    let threads: NIOThreadPool
    private let gate = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    init() {
        threads = NIOThreadPool(numberOfThreads: Self.threadCount)
        threads.start()
    }

    /// Look-ups that began to block.
    var begun: Int { count.withLock { $0 } }

    func run() -> [String] {
        count.withLock { $0 += 1 }
        gate.wait()
        return ["127.0.0.1"]
    }

    /// Lets those that block go, and ends the threads.
    func end() async throws {
        for _ in 0..<begun { gate.signal() }
        try await threads.shutdownGracefully()
    }
}
