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
