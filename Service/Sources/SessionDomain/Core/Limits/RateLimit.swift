/// At most `limit` events in `window` seconds. A limit of 0 allows none.
package struct RateLimit: Sendable, Equatable {
    package var limit: Int
    package var window: Int
    /// Whether the limit is one of consecutive failures: each event starts the window again, and from the tenth event on
    /// the next one must wait, longer each time (NIST SP 800-63B-4 §3.2.2).
    package var isStreak = false
    /// Events that end in a window, evenly over its time. `nil`: all end together, with the window that their first one began.
    package var refill: Int?

    package init(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
    }

    /// A limit of consecutive failures.
    package static func streak(_ limit: Int, window: Int) -> RateLimit {
        var streak = RateLimit(limit: limit, window: window)
        streak.isStreak = true
        return streak
    }

    /// A limit that fills again evenly, `refill` events in a window. Limits of one counter with the same `refill` are shares of
    /// it: who has the smaller one leaves the rest to the others.
    package static func refilling(_ limit: Int, by refill: Int, window: Int) -> RateLimit {
        var rate = RateLimit(limit: limit, window: window)
        rate.refill = refill
        return rate
    }

    /// The limit for a network of many customers.
    func widened(by factor: Int) -> RateLimit {
        let (wider, isTooLarge) = limit.multipliedReportingOverflow(by: factor)
        return RateLimit(limit: isTooLarge ? .max : wider, window: window)
    }

    /// Seconds that must pass after this many consecutive failures: 30 seconds after ten, then twice as long each time, up
    /// to an hour.
    package static func pause(after failures: Int) -> Int {
        failures < 10 ? 0 : min(3600, 30 << min(failures - 10, 7))
    }
}

extension RateLimit: Codable {
    /// Settings contain limits with a fixed window only.
    private enum CodingKeys: CodingKey {
        case limit, window
    }
}

/// The state of one counter: the number of events, and when its window ends.
///
/// With `RateLimit.refill`, each event counts as many units as the window has seconds, and each second takes `refill` units
/// back. So all numbers are whole, also with a refill of 7 events in a day. The window begins with the last event.
package struct RateCounter: Sendable, Equatable {
    package var count: Int
    package var resetsAt: Timestamp

    package init(count: Int, resetsAt: Timestamp) {
        self.count = count
        self.resetsAt = resetsAt
    }

    /// Seconds from now until which a window can end: the longest one of a setting, a day, and an hour by which the clocks of
    /// nodes may differ. A later end is from a clock that was wrong, such as that of a virtual machine after a restart. Such a
    /// window is over, so that it refuses no call until then.
    package static let latestEnd = 86_400 + 3600

    private func isRunning(_ limit: RateLimit, at now: Timestamp) -> Bool {
        resetsAt > now && resetsAt <= now + max(limit.window + 3600, Self.latestEnd)
    }

    /// Counts one more event. Returns the counter to store, or the time from which a retry is allowed.
    ///
    /// Stores call it inside their transaction, so that counting and deciding are one step.
    package static func take(_ current: RateCounter?, limit: RateLimit, now: Timestamp) -> RateDecision {
        guard limit.limit > 0 else { return .refused(until: now + limit.window) }
        let current = current.flatMap { $0.isRunning(limit, at: now) ? $0 : nil }
        if let refill = limit.refill { return take(current, limit: limit, refill: refill, now: now) }
        guard let current else {
            return .allowed(RateCounter(count: 1, resetsAt: now + limit.window))
        }
        guard current.count < limit.limit else { return .refused(until: current.resetsAt) }
        guard limit.isStreak else {
            return .allowed(RateCounter(count: current.count + 1, resetsAt: current.resetsAt))
        }
        // The window of a streak began with its last event, which a concurrent call may have counted a second later.
        let pause = RateLimit.pause(after: current.count)
        let earliest = current.resetsAt - limit.window + pause
        guard pause == 0 || earliest <= now else { return .refused(until: earliest) }
        return .allowed(
            RateCounter(count: current.count + 1, resetsAt: max(current.resetsAt, now + limit.window)))
    }

    private static func take(_ current: RateCounter?, limit: RateLimit, refill: Int, now: Timestamp) -> RateDecision {
        let window = limit.window
        // The clock of the last event may be ahead.
        let last = current.map { max(now, $0.resetsAt - window) } ?? now
        var units = Int64(window)
        if let current {
            let elapsed = last.milliseconds - (current.resetsAt - window).milliseconds
            units += max(0, Int64(current.count) - Int64(refill) * elapsed / 1000)
        }
        let excess = units - Int64(limit.limit) * Int64(window)
        guard excess <= 0 else {
            let wait = refill > 0 ? (excess * 1000 + Int64(refill) - 1) / Int64(refill) : Int64(window) * 1000
            // A limit that was lowered may be passed by far: the row ends with its window.
            return .refused(until: Timestamp(milliseconds: last.milliseconds + min(wait, Int64(window) * 1000)))
        }
        return .allowed(RateCounter(count: Int(units), resetsAt: last + window))
    }
}

/// A counter with its key in the store.
package struct StoredCounter: Sendable, Equatable {
    /// `CounterKey.text`.
    package let key: String
    package let counter: RateCounter

    package init(key: String, counter: RateCounter) {
        self.key = key
        self.counter = counter
    }
}

package enum RateDecision: Sendable, Equatable {
    case allowed(RateCounter)
    case refused(until: Timestamp)
}

/// A counter that runs, beside its limit: what an operator looks at when a user cannot sign in.
package struct RunningLimit: Sendable, Equatable {
    package let name: LimitName
    /// The counter as the store names it: what is counted, and whose it is.
    package let counter: String
    package let count: Int
    package let maximum: Int
    /// When nothing of it is left, if no further event comes.
    package let endsAt: Timestamp
    /// The next event is refused until this time. `nil`: it is allowed.
    package let refusedUntil: Timestamp?

    /// - Returns: `nil` for a counter that has ended.
    init?(_ name: LimitName, _ stored: StoredCounter, limit: RateLimit, now: Timestamp) {
        guard stored.counter.resetsAt > now else { return nil }
        self.name = name
        counter = stored.key
        count = stored.counter.events(limit, now: now)
        maximum = limit.limit
        endsAt = stored.counter.resetsAt
        if case .refused(let until) = RateCounter.take(stored.counter, limit: limit, now: now) {
            refusedUntil = until
        } else {
            refusedUntil = nil
        }
    }
}

extension RateCounter {
    /// The events that count now.
    fileprivate func events(_ limit: RateLimit, now: Timestamp) -> Int {
        guard let refill = limit.refill else { return count }
        let elapsed = max(0, now.milliseconds - (resetsAt - limit.window).milliseconds)
        let units = max(0, Int64(count) - Int64(refill) * elapsed / 1000)
        return Int((units + Int64(limit.window) - 1) / Int64(limit.window))
    }
}

/// A limit that stopped a call.
package struct ReachedLimit: Sendable, Equatable {
    /// The counter that is at its limit.
    package let counter: CounterKey
    /// The time from which a retry is allowed.
    package let until: Timestamp
    /// Whether this call is the first one that the limit stops in its hour.
    package let isReported: Bool

    package init(_ counter: CounterKey, until: Timestamp, isReported: Bool = false) {
        self.counter = counter
        self.until = until
        self.isReported = isReported
    }

    /// The identifiers for which a limit that users share is reported in an hour.
    static let maximumReports = RateLimit(limit: 1000, window: 3600)

    /// Reserves the report of the limit in the hour of its end.
    var reportKey: String { "login.limited/\(counter.text)/\(until.seconds / 3600)" }

    /// The limit, reported by these changes if it is the first time.
    func reported(by changes: [Change]) -> ReachedLimit {
        ReachedLimit(counter, until: until, isReported: changes.contains { $0.isRedemption(of: reportKey) })
    }

    /// The answer to the caller. It does not name the limit; the observer learns its name.
    func refusal(now: Timestamp, observer: any ServiceObserver) -> Refusal {
        observer.observe(.limitReached(counter.limit))
        return .rateLimited(retryAfter: until.retryAfter(from: now))
    }
}

extension GuardFailures {
    /// The counter of a budget that is at its limit; the one that ends last if there are several.
    package func reached(_ counters: [FactQuery.CounterSelector]) -> ReachedLimit? {
        counters.compactMap { selector in limit(of: selector.key).map { ReachedLimit(selector.key, until: $0) } }
            .max { $0.until < $1.until }
    }
}

extension Change {
    fileprivate func isRedemption(of key: String) -> Bool {
        if case .redeem(let redeemed, _, _) = self { redeemed == key } else { false }
    }
}

/// What a stored counter counts. Each counter belongs to one app; identifiers are in canonical form.
package indirect enum CounterKey: Hashable, Sendable {
    /// Verifications that were started.
    case starts(BudgetOwner)
    /// Failed checks of codes and passwords, counted together (O17).
    case failures(BudgetOwner, Span)
    /// Codes that were sent.
    case sends(BudgetOwner, Span)
    /// Failed checks of all devices, or of all sessions, of one user.
    case failuresOfGroup(String)
    /// Codes that were sent for all devices, or all sessions, of one user.
    case sendsOfGroup(String)
    case sendsOfApp
    /// Codes sent to the numbers of one country calling code, such as `+33`.
    case sendsToCallingCode(String)
    /// Codes sent to a range of phone numbers, such as `+33612`.
    case sendsToNumberRange(String)
    /// The part of a total that is kept for strangers with the identifier of a user, while all strangers have spent theirs. It
    /// has a row of its own: what is left of the total must not show which identifiers have a user.
    case reserve(CounterKey)
    /// Codes that were not sent, because these parts were spent.
    case withheld(CounterKey)
    /// Messages of logins that strangers from a network asked for, and whose right code has not come yet.
    case startsOfNetwork(String)
    /// The identifiers at which strangers from a network entered wrong passwords, each counted once.
    case failuresOfNetwork(String)
    /// Whether an identifier counts in `failuresOfNetwork`.
    case failing(CanonicalIdentifier, network: String)
    /// Credentials of an earlier system without a success, from a network.
    case migrationsOfNetwork(String)
    case stepUps(userID: String)
    /// Test messages that operators send by the routes of an app.
    case deliveryTests
    /// Notices of one kind to one user.
    case notices(userID: String, Notice.Kind)
    /// Identifiers for which a limit of a shared counter was reported.
    case reports(LimitName, of: String)

    /// The window of a counter.
    package enum Span: String, Sendable {
        case hour, day
        /// Since the last success.
        case streak
    }

    /// The key of the counter in the store.
    package var text: String {
        switch self {
        case .starts(let owner): "otp-start/\(owner.text)"
        case .failures(let owner, .hour): "otp-failed/\(owner.text)"
        case .failures(let owner, let span): "failed-\(span.rawValue)/\(owner.text)"
        case .sends(let owner, let span): "sent-\(span.rawValue)/\(owner.text)"
        case .failuresOfGroup(let group): "failed-total/\(group)"
        case .sendsOfGroup(let group): "sent-total/\(group)"
        case .sendsOfApp: "sends"
        case .sendsToCallingCode(let prefix), .sendsToNumberRange(let prefix): "sends/\(prefix)"
        case .reserve(let counter): "reserve/\(counter.text)"
        case .withheld(let counter): "withheld/\(counter.text)"
        case .startsOfNetwork(let network): "network-start/\(network)"
        case .failuresOfNetwork(let network): "network-failed/\(network)"
        case .failing(let identifier, let network): "failing/\(identifier.key)/\(network)"
        case .migrationsOfNetwork(let network): "network-migration/\(network)"
        case .stepUps(let userID): "step-up/\(userID)"
        case .deliveryTests: "delivery-test"
        case .notices(let userID, let kind): "notice/\(kind.rawValue)/\(userID)"
        case .reports(_, let counter): "reports/\(counter)"
        }
    }

    /// Whether calls for different users have the counter together.
    var isShared: Bool {
        switch self {
        case .sendsOfApp, .sendsToCallingCode, .sendsToNumberRange, .startsOfNetwork, .failuresOfNetwork,
            .migrationsOfNetwork:
            true
        default: false
        }
    }

    /// All counters of one payer, apart from the total of its group.
    package static func all(of owner: BudgetOwner) -> [CounterKey] {
        [
            .starts(owner), .failures(owner, .hour), .failures(owner, .day), .failures(owner, .streak),
            .sends(owner, .hour), .sends(owner, .day),
        ]
    }

    /// All counters of a network.
    static func all(of network: CountedNetwork) -> [CounterKey] {
        [
            .startsOfNetwork(network.digest), .failuresOfNetwork(network.digest), .migrationsOfNetwork(network.digest),
        ]
    }

    /// The counters that are a user's, apart from those of each device and session.
    static func all(of user: User) -> [CounterKey] {
        let owners = user.identifiers.map { BudgetOwner.anonymous($0) } + [.formerDevices(userID: user.id)]
        let groups = [BudgetOwner.device(id: "", userID: user.id), .session(id: "", userID: user.id)]
        let totals = groups.compactMap(\.group).flatMap { [CounterKey.failuresOfGroup($0), .sendsOfGroup($0)] }
        return owners.flatMap(all) + totals + [.stepUps(userID: user.id)]
    }

    /// What the keys of all counters of a user's devices and sessions begin with.
    package static func prefixes(ofUser userID: String) -> [String] { counters(ofEachOf: userID).map(\.text) }

    /// The counters of a device and of a session without an id.
    private static func counters(ofEachOf userID: String) -> [CounterKey] {
        let owners: [BudgetOwner] = [.device(id: "", userID: userID), .session(id: "", userID: userID)]
        return owners.flatMap(all)
    }

    /// What a key of a user's device or session counts. `nil` for another key.
    static func owned(byUser userID: String, _ text: String) -> CounterKey? {
        counters(ofEachOf: userID).first { text.hasPrefix($0.text) }
    }

    /// The totals that a message to a destination spends.
    static func totals(to destination: CanonicalIdentifier) -> [CounterKey] {
        guard destination.type == .phoneNumber else { return [.sendsOfApp] }
        let number = destination.canonical
        return [
            .sendsOfApp, .sendsToCallingCode(CallingCode.of(number)),
            .sendsToNumberRange(CallingCode.range(of: number)),
        ]
    }

    /// What the keys of all marks `failing` of an identifier begin with.
    package static func prefixOfMarks(at identifier: CanonicalIdentifier) -> String {
        failing(identifier, network: "").text
    }
}

/// The name of a limit in events, logs and metrics: what is counted, without whose it is.
package enum LimitName: String, Sendable, CaseIterable {
    case starts
    case failuresHour = "failures_hour"
    case failuresDay = "failures_day"
    case failuresStreak = "failures_streak"
    case failuresOfUser = "failures_of_user"
    case sendsHour = "sends_hour"
    case sendsDay = "sends_day"
    case sendsOfUser = "sends_of_user"
    case sendsOfApp = "sends_of_app"
    case sendsToCallingCode = "sends_to_calling_code"
    case sendsToNumberRange = "sends_to_number_range"
    case startsOfAddress = "starts_of_address"
    case failuresOfAddress = "failures_of_address"
    case migrationsOfAddress = "migrations_of_address"
    case stepUps = "step_ups"
    case notices
    case deliveryTests = "delivery_tests"

    // By source address, in the memory of a process.
    case invalidCalls = "invalid_calls"
    case sourceManagementKeys = "source_management_key"

    /// The setting of the limit, as the management API names it, or of the service.
    package var setting: String {
        switch self {
        case .starts: "limits.starts"
        case .failuresHour: "limits.failed_checks"
        case .failuresDay, .failuresOfUser: "limits.failed_checks_per_day"
        case .failuresStreak: "limits.consecutive_failed_checks"
        case .sendsHour: "limits.sends_per_hour"
        case .sendsDay, .sendsOfUser: "limits.sends_per_day"
        case .sendsOfApp: "limits.app_sends_per_day"
        case .sendsToCallingCode: "limits.calling_code_sends_per_day"
        case .sendsToNumberRange: "limits.number_range_sends_per_day"
        case .startsOfAddress: "limits.starts_per_address"
        case .failuresOfAddress: "limits.failures_per_address"
        case .migrationsOfAddress: "limits.migrations_per_address"
        case .invalidCalls: "limits.invalid_calls_per_address"
        case .stepUps: "limits.step_ups"
        case .notices: "limits.notices_per_day"
        case .deliveryTests: "limits.delivery_tests"
        case .sourceManagementKeys: "wrongKeyLimit"
        }
    }

    /// Whether the limit can stop a message.
    package var isOfMessages: Bool {
        switch self {
        case .starts, .startsOfAddress, .sendsHour, .sendsDay, .sendsOfUser, .sendsOfApp, .sendsToCallingCode,
            .sendsToNumberRange, .stepUps, .notices:
            true
        default: false
        }
    }
}

extension CounterKey {
    package var limit: LimitName {
        switch self {
        case .starts: .starts
        case .failures(_, .hour): .failuresHour
        case .failures(_, .day): .failuresDay
        case .failures(_, .streak): .failuresStreak
        // Codes have no limit per streak.
        case .sends(_, let span): span == .hour ? .sendsHour : .sendsDay
        case .failuresOfGroup: .failuresOfUser
        case .sendsOfGroup: .sendsOfUser
        case .sendsOfApp: .sendsOfApp
        case .sendsToCallingCode: .sendsToCallingCode
        case .sendsToNumberRange: .sendsToNumberRange
        case .reserve(let counter), .withheld(let counter): counter.limit
        case .startsOfNetwork: .startsOfAddress
        case .failuresOfNetwork, .failing: .failuresOfAddress
        case .migrationsOfNetwork: .migrationsOfAddress
        case .stepUps: .stepUps
        case .notices: .notices
        case .reports(let limit, _): limit
        case .deliveryTests: .deliveryTests
        }
    }
}
