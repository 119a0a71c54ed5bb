public import Foundation
package import SessionDomain
import Synchronization

/// One clock for a service and its clients. It stands still until a test moves it.
public final class TestClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_750_000_000_000)

    package init() {}

    /// The service's time.
    public var now: Date { timestamp.date }

    /// Moves time on, such as `.seconds(301)` to let an access token end.
    ///
    /// - Parameter duration: By how much, to the millisecond; negative turns time back.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        milliseconds.withLock { $0 += seconds * 1000 + attoseconds / 1_000_000_000_000_000 }
    }

    /// The same for the service's rules.
    package var timestamp: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }
}
