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
