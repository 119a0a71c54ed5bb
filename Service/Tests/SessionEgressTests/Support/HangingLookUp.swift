import Dispatch
import NIOPosix
import Synchronization

/// Look-ups that block on their own threads, as they do when name servers do not answer.
final class HangingLookUp: Sendable {
    static let threadCount = 2

    let threads: NIOThreadPool
    private let gate = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    init() {
        threads = NIOThreadPool(numberOfThreads: Self.threadCount)
        threads.start()
    }

    /// The number of look-ups that have started to block.
    var begun: Int { count.withLock { $0 } }

    func run() -> [String] {
        count.withLock { $0 += 1 }
        gate.wait()
        return ["127.0.0.1"]
    }

    /// Releases the blocked look-ups and ends the threads.
    func end() async throws {
        for _ in 0..<begun { gate.signal() }
        try await threads.shutdownGracefully()
    }
}
