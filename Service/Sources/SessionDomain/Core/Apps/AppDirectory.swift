internal import Synchronization

/// Finds apps by host and caches them for a few seconds, so that a request needs no query.
///
/// A change on this node takes effect at once. A change on another node takes effect when the store notices it (`follow`),
/// and within `lifetime` in any case. An app or a domain that another
/// process has added is found at once: an unknown host reads the apps again, as often as `ReloadBudget` allows.
package final class AppDirectory: Sendable {
    /// Seconds for which apps are cached.
    package static let lifetime = 5
    /// Seconds for which `lastKnownApp(host:)` returns an app after the store has answered last.
    package static let memory = 86_400

    private struct Cache {
        var apps: [AppID: App] = [:]
        var domains: [String: AppID] = [:]
        /// Opened apps, with the version of the cache at which their keys were read. Those of an older version are read
        /// again, but their unchanged keys are not opened again.
        var runtimes: [AppID: (runtime: AppRuntime, version: Int)] = [:]
        var loadedAt: Timestamp?
        /// Uptime in milliseconds at the last time that the store answered.
        var readAt: Int64?
        var reloads = ReloadBudget()
        /// The ids of missing master keys that were already reported.
        var reportedMasterKeys: Set<String> = []
        /// Counts invalidations and loads. Data that was read before one of them is outdated after it.
        var version = 0

        func isLoaded(at now: Timestamp) -> Bool {
            loadedAt.map { now < $0 + AppDirectory.lifetime && $0 <= now } ?? false
        }

        /// The opened app, unless something may have changed since. It costs no copy of the app.
        func currentRuntime(of id: AppID) -> AppRuntime? {
            guard let (runtime, version) = runtimes[id], version == self.version, apps.keys.contains(id) else {
                return nil
            }
            return runtime
        }

        mutating func replaceApps(_ all: [App]) {
            apps = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
            domains = Dictionary(all.flatMap { app in app.domains.map { ($0, app.id) } }) { first, _ in first }
            runtimes = runtimes.filter { [apps] in apps[$0.key] != nil }
        }
    }

    private let store: any AppStore
    private let keys: KeyRing
    private let origins: PublicOrigins
    private let defaultApp: AppID?
    private let keyRotation: KeyRotationPolicy
    private let environment: ServiceEnvironment
    private let cache = Mutex(Cache())

    package init(
        store: any AppStore, keys: KeyRing, origins: PublicOrigins, defaultApp: AppID?,
        keyRotation: KeyRotationPolicy, environment: ServiceEnvironment
    ) {
        self.store = store
        self.keys = keys
        self.origins = origins
        self.defaultApp = defaultApp
        self.keyRotation = keyRotation
        self.environment = environment
    }

    /// Returns the app of a host: by the service's own name, by custom domain, by the host's first label, or the default
    /// app.
    ///
    /// - Parameter host: `host[:port]` as the trusted edge received it.
    /// - Throws: `Refusal.notFound` if no app is served under this host.
    package func app(host: String) async throws -> AppRuntime {
        if let id = named(by: host), let current = current(id) { return current }
        return try await find(host: host)
    }

    /// Returns the app of a host as this process has read it last, while the store does not answer. Its keys still change by
    /// the clock. Uptime decides, because the clock may jump.
    ///
    /// - Returns: `nil` for an app that was not read, and `memory` seconds after the last answer of the store.
    package func lastKnownApp(host: String) -> AppRuntime? {
        guard let id = named(by: host) else { return nil }
        let (now, uptime) = (environment.now(), environment.uptime())
        let known = cache.withLock { cache -> AppRuntime? in
            guard let readAt = cache.readAt, uptime < readAt + Int64(Self.memory) * 1000 else { return nil }
            return cache.runtimes[id]?.runtime
        }
        return known?.at(now, uptime: uptime)
    }

    @inline(never) private func find(host: String) async throws -> AppRuntime {
        try await loadIfNeeded()
        var named = named(by: host)
        if named == nil, try await reload() { named = self.named(by: host) }
        guard let id = named ?? defaultApp else {
            throw Refusal.notFound("no app is served under this host")
        }
        return try await app(id)
    }

    /// Whether configuration names the host: it is the service's own name of an app, or an app's custom domain.
    ///
    /// `app(host:)` accepts more: any name that begins with an app's id, and any name at all if there is a default app.
    /// An attacker can register such a name.
    package func isConfigured(host: String) async throws -> Bool {
        try await loadIfNeeded()
        let name = Self.bareHost(host)
        return cache.withLock { cache in
            switch origins.owner(ofHost: name) {
            case .app(let id): cache.apps[id] != nil
            case .defaultApp: true
            case nil: cache.domains[name] != nil
            }
        }
    }

    package func app(_ id: AppID) async throws -> AppRuntime {
        if let current = current(id) { return current }
        return try await open(id)
    }

    /// The opened app, unless it must be read again. This is all that most requests need: the functions that read apps are
    /// apart, because an asynchronous function keeps its variables on the heap.
    private func current(_ id: AppID) -> AppRuntime? {
        let now = environment.now()
        let current = cache.withLock { $0.isLoaded(at: now) ? $0.currentRuntime(of: id) : nil }
        return current?.at(now, uptime: environment.uptime())
    }

    @inline(never) private func open(_ id: AppID) async throws -> AppRuntime {
        try await loadIfNeeded()
        if let current = current(id) { return current }
        if !cache.withLock({ $0.apps.keys.contains(id) }) { _ = try await reload() }
        let (app, cached, version) = cache.withLock { ($0.apps[id], $0.runtimes[id], $0.version) }
        guard let app else { throw Refusal.notFound("there is no app \(id)") }
        let stored = try await store.signingKeys(of: id)
        let runtime: AppRuntime
        do {
            runtime = try AppRuntime(
                app: app, stored: stored, keys: keys, origins: origins, policy: keyRotation, at: environment.now(),
                uptime: environment.uptime(), previous: cached?.runtime)
        } catch KeyRingError.unknownMasterKey(let missing) {
            report(missingMasterKeys: [missing])
            throw KeyRingError.unknownMasterKey(missing)
        }
        report(missingMasterKeys: runtime.missingMasterKeys)
        cache.withLock { cache in
            if cache.runtimes[id]?.version ?? version <= version { cache.runtimes[id] = (runtime, version) }
        }
        return runtime
    }

    /// Reports each missing master key once.
    private func report(missingMasterKeys missing: Set<String>) {
        let new = cache.withLock { cache in
            let new = missing.subtracting(cache.reportedMasterKeys)
            cache.reportedMasterKeys.formUnion(new)
            return new
        }
        for id in new.sorted() { environment.observer.observe(.notice(.masterKeyMissing(id: id))) }
    }

    /// Discards the cache after a change.
    package func invalidate() {
        cache.withLock { cache in
            cache.version += 1
            cache.loadedAt = nil
        }
    }

    /// Discards the cache at each change that a store notices, until the changes end.
    package func follow(_ changes: AsyncStream<Void>) async {
        for await _ in changes { invalidate() }
    }

    /// The app that the service serves under a host without a custom domain. The app need not exist yet.
    func app(ofOwnHost host: String) -> AppID? {
        switch origins.owner(ofHost: host) {
        case .app(let id): id
        case .defaultApp: defaultApp
        case nil: nil
        }
    }

    /// The app that a host names. The default app serves all other hosts.
    private func named(by host: String) -> AppID? {
        let name = Self.bareHost(host)
        return cache.withLock { cache in
            switch origins.owner(ofHost: name) {
            case .app(let id) where cache.apps.keys.contains(id): return id
            case .defaultApp where defaultApp != nil: return defaultApp
            default: break
            }
            if let id = cache.domains[name] { return id }
            if let id = name.split(separator: ".").first.flatMap({ AppID($0) }), cache.apps[id] != nil { return id }
            return nil
        }
    }

    private static func bareHost(_ host: String) -> String {
        let lowered = host.lowercased()
        if lowered.hasPrefix("[") { return String(lowered.prefix { $0 != "]" }) + "]" }
        // A host without a port is the whole text. A colon is one byte, and no part of another character's.
        guard let colon = lowered.utf8.firstIndex(of: UInt8(ascii: ":")) else { return lowered }
        return String(lowered[..<colon])
    }

    private func loadIfNeeded() async throws {
        let (now, uptime) = (environment.now(), environment.uptime())
        let (isLoaded, version) = cache.withLock { ($0.isLoaded(at: now), $0.version) }
        guard !isLoaded else { return }
        let apps = try await store.apps()
        cache.withLock { cache in
            cache.readAt = uptime
            guard cache.version == version else { return }
            // Also outdates all runtimes: a key that another node has added is not visible in the settings.
            cache.version += 1
            cache.replaceApps(apps)
            cache.loadedAt = now
        }
    }

    /// Reads the apps again for a host or an id that is unknown. The apps that are already open stay as they are.
    ///
    /// - Returns: Whether the apps were read.
    private func reload() async throws -> Bool {
        let uptime = environment.uptime()
        let (isAllowed, version) = cache.withLock { ($0.reloads.take(uptime: uptime), $0.version) }
        guard isAllowed else { return false }
        let apps = try await store.apps()
        cache.withLock { cache in
            if cache.version == version { cache.replaceApps(apps) }
        }
        return true
    }
}

/// Limits how often requests for unknown hosts read the apps from the store.
///
/// A client can send any number of such requests. Each of them would cost a read.
struct ReloadBudget {
    /// The most reads at once.
    static let capacity = 5
    /// Milliseconds after which one more read is allowed.
    static let interval: Int64 = 1000

    private var available = Self.capacity
    /// The uptime up to which the reads that became available are counted. `nil` before the first read.
    private var countedUntil: Int64?

    /// Spends one read.
    ///
    /// - Parameter uptime: Milliseconds.
    /// - Returns: Whether the read is allowed.
    mutating func take(uptime: Int64) -> Bool {
        let start = countedUntil ?? uptime
        let gained = max(0, uptime - start) / Self.interval
        countedUntil = start + gained * Self.interval
        available = Int(min(Int64(Self.capacity), Int64(available) + gained))
        guard available > 0 else { return false }
        available -= 1
        return true
    }
}
