internal import Synchronization

/// Remembers what this process counted in the last hour and in the last day, for the graphs of the console.
///
/// Nothing is recorded when something happens: the counters of the metrics are read every ten seconds. Only `apps` counts by
/// itself.
package final class ActivityRecorder: Sendable {
    /// Seconds between two readings.
    package static let interval: Int64 = 10

    private struct State {
        /// Counters begin at 0 with the process.
        var totals = ActivityAmounts()
        var hour = ActivityRing.hour
        var day = ActivityRing(step: 300, capacity: 288)
    }

    private let state = Mutex(State())
    /// The same for each app. It has to observe the service.
    package let apps = AppActivityRecorder()
    /// The name of this node, for operators of several.
    package let node: String
    /// When the process started.
    package let startedAt: Timestamp

    package init(node: String, startedAt: Timestamp) {
        self.node = node
        self.startedAt = startedAt
    }

    package var hour: ActivityRing { state.withLock(\.hour) }
    package var day: ActivityRing { state.withLock(\.day) }

    /// Records what has happened since the last reading, in the slot that ends nearest to this time.
    ///
    /// - Parameter totals: All amounts since the start of the process.
    package func record(_ totals: ActivityAmounts, at now: Timestamp) {
        let length = Self.interval * 1000
        let end = (now.milliseconds + length / 2) / length * Self.interval
        state.withLock { state in
            let amounts = totals.since(state.totals)
            state.totals = totals
            state.hour.add(amounts, at: end - Self.interval)
            state.day.add(amounts, at: end - Self.interval)
        }
        apps.record(at: end - Self.interval)
    }

    /// Whole seconds until the slot that is not over yet has ended: when the counters are read next.
    static func pause(at now: Timestamp) -> Int {
        let length = interval * 1000
        return Int((length - now.milliseconds % length + 999) / 1000)
    }

    /// Reads the counters at the end of each slot, until the task is cancelled.
    package func run(_ environment: ServiceEnvironment, totals: @Sendable () -> ActivityAmounts) async {
        while !Task.isCancelled {
            do { try await environment.sleep(Self.pause(at: environment.now())) } catch { return }
            record(totals(), at: environment.now())
        }
    }
}
