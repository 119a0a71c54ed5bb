public import Foundation
package import SessionDomain
import Synchronization

extension TestService {
    /// The clock of a service and its clients. It advances only when a test moves it.
    public final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(1_750_000_000_000)

        package init() {}

        /// The current time.
        public var now: Date { timestamp.date }

        /// Moves the clock, for example by `.seconds(301)` so that an access token expires.
        ///
        /// - Parameter duration: By how much, in whole milliseconds. A negative duration moves the clock back.
        public func advance(by duration: Duration) {
            let (seconds, attoseconds) = duration.components
            milliseconds.withLock { $0 += seconds * 1000 + attoseconds / 1_000_000_000_000_000 }
        }

        /// The current time as the service's rules see it.
        package var timestamp: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }
    }
}
