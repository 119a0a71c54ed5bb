internal import Synchronization

/// What the graphs of the console count.
package enum ActivityCount: Int, Sendable, CaseIterable {
    /// Calls that begin a login and were accepted.
    case loginsStarted
    case loginsSucceeded, loginsFailed
    case refreshesRenewed
    /// Refresh tokens that were refused, and those that ended their session.
    case refreshesRefused
    /// Calls with a status of 400 to 499. Demands of a nonce, which clients answer by themselves, and limits do not count.
    case callsRefused
    /// Calls that a limit refused, and those that were too many for the service.
    case callsLimited
    /// Calls with a status of 500 or more.
    case callsFailed
    case mailsSent, mailsFailed, smsSent, smsFailed
}

extension ActivityCount {
    /// `nil`: the call was accepted.
    package init?(status: Int) {
        switch status {
        case ..<400: return nil
        case 429: self = .callsLimited
        case ..<500: self = .callsRefused
        default: self = .callsFailed
        }
    }

    /// `nil`: the client repeats the refresh with the nonce.
    package init?(_ result: RefreshResult) {
        switch result {
        case .rotated, .repeated, .recovered: self = .refreshesRenewed
        case .refused, .reused, .ended, .invalidToken: self = .refreshesRefused
        case .nonceDemanded: return nil
        }
    }
}

/// How often each thing has happened: since the start of the process, or in a time.
package struct ActivityAmounts: Sendable, Equatable {
    /// By the raw value of `ActivityCount`.
    private var counts = Array(repeating: 0, count: ActivityCount.allCases.count)
    package var latency = LatencyCounts()

    package init() {}

    package subscript(_ count: ActivityCount) -> Int {
        get { counts[count.rawValue] }
        set { counts[count.rawValue] = newValue }
    }

    package static func += (left: inout ActivityAmounts, right: ActivityAmounts) {
        left.combine(right) { $0 + $1 }
    }

    /// What has happened since an earlier time. An amount that is smaller than before counts as 0: two counters of which one
    /// is part of the other are not read at the same moment.
    package func since(_ earlier: ActivityAmounts) -> ActivityAmounts {
        var amounts = self
        amounts.combine(earlier) { max(0, $0 - $1) }
        return amounts
    }

    private mutating func combine(_ other: ActivityAmounts, _ combine: (Int, Int) -> Int) {
        for index in counts.indices { counts[index] = combine(counts[index], other.counts[index]) }
        for index in latency.counts.indices {
            latency.counts[index] = combine(latency.counts[index], other.latency.counts[index])
        }
    }
}

extension ActivityAmounts {
    static let width = ActivityCount.allCases.count + LatencyCounts.bounds.count + 1

    /// All amounts in a fixed order, for a store of small numbers.
    var packed: [UInt32] { (counts + latency.counts).map { UInt32(clamping: $0) } }

    init(packed: some Collection<UInt32>) {
        let values = packed.map { Int($0) }
        counts = Array(values.prefix(counts.count))
        latency.counts = Array(values.dropFirst(counts.count))
    }
}

/// How many calls took how long, in the buckets of the metric of request durations.
package struct LatencyCounts: Sendable, Equatable {
    /// The upper bounds of the buckets, in seconds. One more bucket has longer calls.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// One count for each bucket. They are not cumulative.
    package var counts: [Int]

    package init() { counts = Array(repeating: 0, count: Self.bounds.count + 1) }

    /// Counts a call that took this many seconds.
    mutating func count(_ seconds: Double) {
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }

    package var total: Int { counts.reduce(0, +) }

    /// The seconds within which this part of the calls was answered, such as 0.99. `nil`: there were no calls.
    ///
    /// The value is an estimate: within a bucket, calls count as evenly spread. Calls above the last bound count as that bound.
    package func quantile(_ part: Double) -> Double? {
        let total = total
        guard total > 0 else { return nil }
        let rank = part * Double(total)
        var below = 0
        for (index, bound) in Self.bounds.enumerated() {
            if Double(below + counts[index]) >= rank, counts[index] > 0 {
                let start = index == 0 ? 0 : Self.bounds[index - 1]
                return start + (bound - start) * (rank - Double(below)) / Double(counts[index])
            }
            below += counts[index]
        }
        return Self.bounds.last
    }
}

/// The amounts of the last slots of time, oldest first, in memory of a fixed size.
package struct ActivityRing: Sendable {
    /// Seconds of a slot.
    package let step: Int64
    /// How many slots are kept.
    package let capacity: Int

    /// The number of a slot is its beginning in seconds since 1970, divided by the step. A slot without a record has none.
    private var numbers: [Int64] = []
    private var values: [UInt32] = []

    package init(step: Int64, capacity: Int) {
        self.step = step
        self.capacity = capacity
        numbers.reserveCapacity(capacity + 1)
        values.reserveCapacity((capacity + 1) * ActivityAmounts.width)
    }

    /// An empty ring for the last hour.
    static var hour: ActivityRing { ActivityRing(step: ActivityRecorder.interval, capacity: 360) }

    /// Adds what happened in a slot.
    ///
    /// A clock that was set back by less than a slot adds to the newest one. Otherwise the ring begins again, because its
    /// times were wrong.
    ///
    /// - Parameter seconds: A time in the slot, in seconds since 1970.
    package mutating func add(_ amounts: ActivityAmounts, at seconds: Int64) {
        let number = seconds / step
        if let newest = numbers.last, number <= newest, number >= newest - 1 {
            var sum = amounts
            sum += ActivityAmounts(packed: values.suffix(ActivityAmounts.width))
            values.replaceSubrange((values.count - ActivityAmounts.width)..., with: sum.packed)
            return
        }
        if let newest = numbers.last, number < newest {
            numbers.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
        }
        numbers.append(number)
        values += amounts.packed
        let old = numbers.prefix { $0 <= number - Int64(capacity) }.count
        numbers.removeFirst(old)
        values.removeFirst(old * ActivityAmounts.width)
    }

    /// As many slots as the ring has, up to the newest one. `nil`: nothing was recorded in the slot.
    package var slots: [ActivityAmounts?] {
        var slots = [ActivityAmounts?](repeating: nil, count: capacity)
        guard let newest = numbers.last else { return slots }
        for (index, number) in numbers.enumerated() {
            let start = index * ActivityAmounts.width
            slots[capacity - 1 - Int(newest - number)] = ActivityAmounts(
                packed: values[start..<(start + ActivityAmounts.width)])
        }
        return slots
    }

    /// The end of the newest slot. `nil`: the ring is empty.
    package var end: Timestamp? { numbers.last.map { Timestamp(seconds: ($0 + 1) * step) } }
}

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
