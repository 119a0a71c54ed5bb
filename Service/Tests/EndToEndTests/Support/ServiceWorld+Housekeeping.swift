import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

extension ServiceWorld {
    /// Rounds of housekeeping that are still to run. The process starts with the first one.
    private final class Rounds: Sendable {
        private let left: Mutex<Int>
        private let passed = Mutex<Int64>(0)

        init(_ count: Int) { left = Mutex(count) }

        /// Milliseconds since the first round.
        var uptime: Int64 { passed.withLock { $0 } }

        func end() throws {
            passed.withLock { $0 += 300_000 }
            let isLast = left.withLock { left in
                left -= 1
                return left <= 0
            }
            if isLast { throw CancellationError() }
        }
    }

    /// Starts another process of the service, whose clock is wrong, runs its housekeeping, and stops it. The clock stands
    /// still meanwhile.
    ///
    /// - Parameters:
    ///   - clockError: Seconds by which the clock is ahead.
    ///   - count: The number of rounds, with five minutes of uptime between them. The first one deletes nothing.
    func runHousekeeping(clockError: Int = 0, rounds count: Int = 2) async throws {
        let (clock, rounds) = (clock, Rounds(count))
        let node = node {
            $0.observer = FailureObserver()
            $0.now = { clock.timestamp + clockError }
            $0.uptime = { rounds.uptime }
            $0.sleep = { _ in try rounds.end() }
        }
        await node.service.runHousekeeping()
    }

    /// Records work in the background that fails.
    private struct FailureObserver: ServiceObserver {
        func observe(_ occurrence: Occurrence) {
            if case .failed(_, let error) = occurrence { Issue.record(error) }
        }
    }
}
