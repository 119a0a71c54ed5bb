internal import Synchronization

/// What the checks of a node call. None of them may change what a client sees.
package struct HealthProbes: Sendable {
    /// Writes to the database and returns when the write is on the disk.
    package var write: @Sendable () async throws -> Void
    /// The master keys that seal keys in the database, and that this process does not have.
    package var missingKeys: @Sendable () async throws -> Set<String>
    /// Bytes that are free for the database. `nil` if they are not known.
    package var freeBytes: @Sendable () -> Int64?
    /// The size of the log of the database. `nil` without one.
    package var logBytes: @Sendable () -> Int64?
    /// The number of routes for messages that fail now.
    package var failingRoutes: @Sendable () -> Int
    /// What is wrong with the TLS certificate.
    package var certificate: @Sendable () -> CertificateWatch.Finding?
    /// The trusted proxy that has hidden its clients.
    package var hiddenClients: @Sendable () -> HiddenClients?

    package init(
        write: @escaping @Sendable () async throws -> Void,
        missingKeys: @escaping @Sendable () async throws -> Set<String> = { [] },
        freeBytes: @escaping @Sendable () -> Int64? = { nil }, logBytes: @escaping @Sendable () -> Int64? = { nil },
        failingRoutes: @escaping @Sendable () -> Int = { 0 },
        certificate: @escaping @Sendable () -> CertificateWatch.Finding? = { nil },
        hiddenClients: @escaping @Sendable () -> HiddenClients? = { nil }
    ) {
        self.write = write
        self.missingKeys = missingKeys
        self.freeBytes = freeBytes
        self.logBytes = logBytes
        self.failingRoutes = failingRoutes
        self.certificate = certificate
        self.hiddenClients = hiddenClients
    }
}

/// Answers whether this node is ready, without a wait while it has traffic.
///
/// The state of the database is that of its last transaction. Only if none has ended within a second, a check writes one
/// itself, once for all callers. Nothing runs while no one asks.
package final class HealthMonitor: Sendable {
    /// Milliseconds for which a result counts.
    package static let lifetime: Int64 = 1000
    /// Callers that wait for a check at most. Others get what is known, so a write that hangs collects no callers.
    package static let waitingLimit = 256

    private struct State {
        var findings = HealthFindings()
        var clock = ClockWatch()
        /// The uptime at which the last round of checks began. `nil` before the first one.
        var lastRound: Int64?
        /// The uptime at which the running round began.
        var runningSince: Int64?
        var waiting: [@Sendable () -> Void] = []
        var reported = Readiness(reasons: [:])
    }

    private let state = Mutex(State())
    private let store: StoreHealth
    private let probes: HealthProbes
    private let environment: ServiceEnvironment

    /// - Parameter environment: Its observer receives a notice when the reasons change.
    package init(store: StoreHealth, probes: HealthProbes, environment: ServiceEnvironment) {
        self.store = store
        self.probes = probes
        self.environment = environment
    }

    /// The process ends soon. From now on it is not ready.
    package func drain() {
        state.withLock { $0.findings.isDraining = true }
    }

    /// What is known now. Never waits.
    package var readiness: Readiness {
        let now = environment.uptime()
        let fails = store.isFailing
        return state.withLock { state in
            state.findings.storeFails = fails
            state.findings.writeWaits = state.runningSince.map { now - $0 }
            return state.findings.readiness
        }
    }

    /// Starts the checks if the last ones are too old.
    ///
    /// - Parameter completion: Called after the write of the check, on any thread.
    /// - Returns: `true` if the caller must not wait: a transaction ended within the last second, or too many callers wait.
    ///   Then `completion` is not called.
    package func check(_ completion: @escaping @Sendable () -> Void) -> Bool {
        let now = environment.uptime()
        let isKnown = store.age.map { $0 < Self.lifetime } ?? false
        var waits = false
        let mustStart = state.withLock { state in
            if !isKnown, state.waiting.count < Self.waitingLimit {
                state.waiting.append(completion)
                waits = true
            }
            guard state.runningSince == nil else { return false }
            if isKnown, let last = state.lastRound, now - last < Self.lifetime { return false }
            (state.lastRound, state.runningSince) = (now, now)
            return true
        }
        if mustStart { Task { await runRound() } }
        return !waits
    }

    /// Runs the checks if the last ones are too old, and returns the result.
    package func checked() async -> Readiness {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if check({ continuation.resume() }) { continuation.resume() }
        }
        return readiness
    }

    private func runRound() async {
        // A failure of the write is noted by the store.
        if store.age.map({ $0 >= Self.lifetime }) ?? true { try? await probes.write() }
        let waiting = state.withLock { state in
            state.runningSince = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion() }
        let missing = try? await probes.missingKeys()
        let (free, log) = (probes.freeBytes(), probes.logBytes())
        let (failing, certificate) = (probes.failingRoutes(), probes.certificate())
        let hiddenClients = probes.hiddenClients()
        state.withLock { state in
            if let missing { state.findings.missingKeys = missing }
            (state.findings.freeBytes, state.findings.logBytes) = (free, log)
            (state.findings.failingRoutes, state.findings.certificate) = (failing, certificate)
            state.findings.hiddenClients = hiddenClients
            state.findings.clock = state.clock.finding(now: environment.now(), uptime: environment.uptime())
        }
        report()
    }

    /// Reports the warnings when they change. The failures of the store and the end of the process have lines of their own.
    private func report() {
        let now = Readiness(reasons: readiness.reasons.filter { !$0.key.endsService })
        let isNew = state.withLock { state in
            defer { state.reported = now }
            return state.reported != now
        }
        if isNew { environment.observer.observe(.notice(.readinessChanged(now))) }
    }
}

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

/// A trusted proxy sends requests that do not say from which address they are.
package struct HiddenClients: Sendable, Equatable, CustomStringConvertible {
    /// Milliseconds after such a request for which health checks show it.
    package static let lifetime: Int64 = 3_600_000

    /// The address of the proxy.
    package let proxy: String
    /// The name of the header that lacks the address.
    package let header: String

    package init(proxy: String, header: String) {
        self.proxy = proxy
        self.header = header
    }

    package var description: String {
        "the trusted proxy \(proxy) sends requests without the address of their client in \(header), so limits by address "
            + "count all clients of the proxy together. Let it set this header (nginx: proxy_set_header \(header) "
            + "\(header.lowercased() == "forwarded" ? "\"for=$remote_addr\"" : "$remote_addr")), or name the header that it "
            + "sets in clientAddressHeader; if \(proxy) is a client itself, name a smaller network in trustedProxies"
    }
}
