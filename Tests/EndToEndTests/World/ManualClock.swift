import Foundation
import SessionDomain
import Synchronization

/// One clock for client and service; it moves only when told to.
final class ManualClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_750_000_000_000)

    var timestamp: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func advance(seconds: Int) { milliseconds.withLock { $0 += Int64(seconds) * 1000 } }
}
