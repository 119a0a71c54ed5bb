import NIOCore

/// How requests are sent.
enum Pace: Sendable {
    /// Each connection sends its next request when it has the response.
    case closed
    /// A number of operations per second, whatever the responses do. Latency counts from the intended time, so a service
    /// that stalls is not measured less often (no coordinated omission).
    case open(perSecond: Double)
    /// Each connection performs the operation once.
    case once
}

/// One measurement, or its preparation.
struct Phase: Sendable {
    var pace: Pace
    var connections: Int
    /// The first connection, if another phase uses those before it at the same time.
    var firstConnection = 0
    /// Seconds. Ignored by `once`.
    var seconds: Double = 0
}

/// The decisions of a phase: which operation is due, and when the phase ends. Times are in nanoseconds.
struct Schedule {
    private let pace: Pace
    private let begin: UInt64
    /// When operations no longer start. Ignored by `once`.
    let end: UInt64
    private let interval: Double
    private let total: Int
    private(set) var started = 0

    init(_ phase: Phase, now: UInt64) {
        pace = phase.pace
        begin = now
        end = now + UInt64(phase.seconds * 1e9)
        switch phase.pace {
        case .closed: (interval, total) = (0, .max)
        case .once: (interval, total) = (0, phase.connections)
        case .open(let rate): (interval, total) = (1e9 / rate, max(1, Int(rate * phase.seconds)))
        }
    }

    /// Takes the next operation if it is due.
    ///
    /// - Returns: The time from which its latency counts.
    mutating func take(now: UInt64) -> UInt64? {
        guard started < total else { return nil }
        switch pace {
        case .closed:
            guard now < end else { return nil }
            started += 1
            return now
        case .once:
            started += 1
            return now
        case .open:
            let intended = nextTime
            guard intended <= now else { return nil }
            started += 1
            return intended
        }
    }

    /// When the next operation is due; `nil` if completed operations decide, or if none is left.
    var nextWakeUp: UInt64? {
        if case .open = pace, started < total { nextTime } else { nil }
    }

    private var nextTime: UInt64 { begin + UInt64(Double(started) * interval) }
}
