/// Whether this node can serve, and why not, as far as an operator may know it.
package struct Readiness: Sendable, Equatable, CustomStringConvertible {
    package enum Check: String, Sendable, CaseIterable {
        case database, draining, keys, disk
        case databaseLog = "database_log"
        case clock, delivery, certificate
        case clientAddress = "client_address"

        /// Whether the node must get no requests. The others are warnings: the node can still serve, and another node would
        /// have the same problem.
        package var endsService: Bool { self == .database || self == .draining }
    }

    /// What is wrong, in the order of the checks. A check that is well has no reason.
    package let reasons: [Check: String]

    package init(reasons: [Check: String]) { self.reasons = reasons }

    /// Whether load balancers may send requests to this node.
    package var isReady: Bool { !reasons.keys.contains { $0.endsService } }

    package var description: String {
        guard !reasons.isEmpty else { return "the service is ready, and nothing is wrong" }
        let texts = Check.allCases.compactMap { check in reasons[check].map { "\(check.rawValue): \($0)" } }
        return "the service is \(isReady ? "ready, with warnings" : "not ready"): " + texts.joined(separator: "; ")
    }
}

/// What the checks of a node have found, and the rules that make reasons of it.
package struct HealthFindings: Sendable, Equatable {
    /// Free bytes below which the disk is reported: some days of a busy service, and enough for a checkpoint.
    package static let lowDisk: Int64 = 256 << 20
    /// Bytes of the log of the database that are no reason for a warning. A log that was longer has this size when it has
    /// begun again.
    package static let longestLog: Int64 = 64 << 20
    /// Milliseconds after which a write that has not ended counts as failed.
    package static let slowWrite: Int64 = 2000

    package var isDraining = false
    package var storeFails = false
    /// Milliseconds that the running check of the database has waited for its write. `nil`: no check is running.
    package var writeWaits: Int64?
    /// Master keys that seal keys in the database, and that this process does not have.
    package var missingKeys: Set<String> = []
    package var freeBytes: Int64?
    /// The size of the log of the database. `nil` without one.
    package var logBytes: Int64?
    package var clock: ClockWatch.Finding?
    package var failingRoutes = 0
    package var certificate: CertificateWatch.Finding?
    package var hiddenClients: HiddenClients?

    package init() {}

    package var readiness: Readiness {
        var reasons: [Readiness.Check: String] = [:]
        if isDraining { reasons[.draining] = "the process is ending" }
        if storeFails {
            reasons[.database] = "writes fail; the log has the cause"
        } else if let writeWaits, writeWaits > Self.slowWrite {
            reasons[.database] = "a write has not ended after \(Self.slowWrite / 1000) seconds"
        }
        if !missingKeys.isEmpty {
            reasons[.keys] = "master keys are missing: \(missingKeys.sorted().joined(separator: ", "))"
        }
        if let freeBytes, freeBytes < Self.lowDisk {
            reasons[.disk] = "less than \(Self.lowDisk >> 20) MiB are free for the database"
        }
        if let logBytes, logBytes > Self.longestLog {
            reasons[.databaseLog] =
                "the file -wal of the database is longer than \(Self.longestLog >> 20) MiB and grows while a program reads "
                + "the database in a transaction that does not end: find the program, such as sqlite3, and end it"
        }
        if let clock { reasons[.clock] = clock.reason }
        if failingRoutes > 0 { reasons[.delivery] = "routes for messages that fail: \(failingRoutes)" }
        if let certificate, certificate.isUrgent { reasons[.certificate] = certificate.description }
        if let hiddenClients { reasons[.clientAddress] = hiddenClients.description }
        return Readiness(reasons: reasons)
    }
}
