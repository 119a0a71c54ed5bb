/// Watches the dates of the certificate that the service presents, and decides what an operator must know.
package struct CertificateWatch: Sendable {
    package enum Finding: Sendable, Equatable, CustomStringConvertible {
        case notYetValid(from: Timestamp)
        case expires(at: Timestamp, days: Int)
        case expired(at: Timestamp)

        package var description: String {
            switch self {
            case .notYetValid(let start):
                "the TLS certificate is not valid before \(start.rfc3339): clients reject it. Check the clock of this machine"
            case .expires(let end, let days):
                "the TLS certificate expires at \(end.rfc3339), in \(days) \(days == 1 ? "day" : "days"). Renew its files; "
                    + "the service reads them again by itself"
            case .expired(let end):
                "the TLS certificate expired at \(end.rfc3339): clients reject it. Renew its files; the service reads them "
                    + "again by itself"
            }
        }

        /// Whether health checks show it. Programs that renew certificates begin 30 days before the end.
        var isUrgent: Bool {
            if case .expires(_, let days) = self { days < 14 } else { true }
        }
    }

    /// Days before the end at which the log has a line.
    static let thresholds = [30, 14, 7, 1]
    /// Seconds after which the log repeats that the certificate is not valid.
    static let pause = 86_400

    private let validity: Range<Timestamp>
    private var last: (step: Step, at: Timestamp)?

    private enum Step: Equatable {
        case notYetValid, expired
        case days(Int)
    }

    /// - Parameter validity: When the certificate is valid.
    package init(validity: Range<Timestamp>) { self.validity = validity }

    /// What is wrong now. `nil`: nothing.
    package func finding(at now: Timestamp) -> Finding? {
        switch step(at: now) {
        case nil: nil
        case .notYetValid: .notYetValid(from: validity.lowerBound)
        case .expired: .expired(at: validity.upperBound)
        case .days: .expires(at: validity.upperBound, days: Int(secondsLeft(at: now)) / 86_400)
        }
    }

    /// Returns what the log must contain now: once for each threshold, and once a day for a certificate that is not valid.
    package mutating func line(at now: Timestamp) -> Finding? {
        guard let step = step(at: now) else {
            last = nil
            return nil
        }
        if let last, last.step == step {
            if case .days = step { return nil }
            guard now >= last.at + Self.pause || now < last.at else { return nil }
        }
        last = (step, now)
        return finding(at: now)
    }

    private func step(at now: Timestamp) -> Step? {
        if now < validity.lowerBound { return .notYetValid }
        let left = secondsLeft(at: now)
        guard left > 0 else { return .expired }
        // Certificates are renewed when a third of their lifetime is left, so a short one has the later thresholds only.
        let lifetime = (validity.upperBound.seconds - validity.lowerBound.seconds + 86_399) / 86_400
        return Self.thresholds.last { $0 * 3 <= lifetime && left <= $0 * 86_400 }.map { .days($0) }
    }

    private func secondsLeft(at now: Timestamp) -> Int64 { validity.upperBound.seconds - now.seconds }
}
