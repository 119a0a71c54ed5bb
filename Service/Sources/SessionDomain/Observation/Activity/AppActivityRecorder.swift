internal import Synchronization

/// Counts the calls and refreshes of each app on this node, and remembers them for an hour, for the graphs of the app.
///
/// The metrics have no label for the app, because each app would multiply their series. So this counts by itself.
package final class AppActivityRecorder: ServiceObserver {
    /// The most apps that are counted. An app gets its place with its first call, and loses it an hour after its last one.
    package static let maximumApps = 100

    private struct State {
        var hours: [AppID: AppHour] = [:]
        /// What an app without calls has.
        var idle = ActivityRing.hour
    }

    /// What each app did since the last reading. Every call changes it, so nothing slow happens under its lock.
    private let counts = Mutex<[AppID: ActivityAmounts]>([:])
    private let state = Mutex(State())

    package init() {}

    package func observe(_ occurrence: Occurrence) {
        switch occurrence {
        case .request(let request):
            guard let app = request.app, ServedRequest.isCall(request.route) else { return }
            add(to: app) { $0.count(request) }
        case .refresh(let result, let app):
            guard let count = ActivityCount(result) else { return }
            add(to: app) { $0[count] += 1 }
        default: break
        }
    }

    private func add(to app: AppID, _ change: (inout ActivityAmounts) -> Void) {
        counts.withLock { counts in
            if let index = counts.index(forKey: app) {
                // In place, so that it allocates nothing.
                change(&counts.values[index])
            } else if counts.count < Self.maximumApps {
                var amounts = ActivityAmounts()
                change(&amounts)
                counts[app] = amounts
            }
        }
    }

    /// The last hour of an app on this node. `nil`: the app is not counted, because too many others are.
    package func hour(of app: AppID) -> ActivityRing? {
        state.withLock { state in
            state.hours[app]?.ring ?? (state.hours.count < Self.maximumApps ? state.idle : nil)
        }
    }

    /// Moves what was counted since the last reading to a slot of each app.
    ///
    /// - Parameter seconds: A time in the slot, in seconds since 1970.
    func record(at seconds: Int64) {
        let counted = counts.withLock { counts in
            defer { counts = counts.mapValues { _ in ActivityAmounts() } }
            return counts
        }
        let forgotten = state.withLock { state in
            for (app, amounts) in counted {
                state.hours[app, default: AppHour(ring: state.idle, lastCall: seconds)].add(amounts, at: seconds)
            }
            state.idle.add(ActivityAmounts(), at: seconds)
            let forgotten = state.hours.filter { $0.value.isOver(at: seconds) }.map(\.key)
            for app in forgotten { state.hours[app] = nil }
            return forgotten
        }
        counts.withLock { counts in
            for app in forgotten where counts[app] == ActivityAmounts() { counts[app] = nil }
        }
    }
}

/// The last hour of one app.
private struct AppHour {
    var ring: ActivityRing
    /// A time in the slot of its last call, in seconds since 1970.
    var lastCall: Int64

    mutating func add(_ amounts: ActivityAmounts, at seconds: Int64) {
        if amounts != ActivityAmounts() { lastCall = seconds }
        ring.add(amounts, at: seconds)
    }

    /// Whether the ring has no call left. A clock that was set back forgets nothing.
    func isOver(at seconds: Int64) -> Bool { seconds - lastCall >= ring.step * Int64(ring.capacity) }
}

extension ActivityAmounts {
    /// Counts a request to the frontend API or to the management API.
    fileprivate mutating func count(_ request: ServedRequest) {
        // The client repeats the request with the nonce.
        if let count = ActivityCount(status: request.status), request.reason != .proof(.nonceRequired) {
            self[count] += 1
        }
        if ServedRequest.isOfApps(request.route) { latency.count(request.seconds) }
    }
}
