import Foundation
import Synchronization

/// A clock that only `advance` moves.
final class TestClock: Sendable {
    static let start = 1_750_000_000.0

    private let seconds = Mutex(TestClock.start)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}

/// Unique bytes, for ids.
final class TestRandomness: Sendable {
    private let count = Mutex<UInt64>(0)

    func bytes(_ number: Int) -> [UInt8] {
        var value = count.withLock { count in
            count += 1
            return count
        }
        var bytes: [UInt8] = []
        while bytes.count < number {
            bytes.append(UInt8(truncatingIfNeeded: value))
            value = value.multipliedReportingOverflow(by: 6_364_136_223_846_793_005).partialValue &+ 1
        }
        return bytes
    }
}
