internal import Synchronization

/// Finds apps by host and caches them for a few seconds, so that a request needs no query.
///
/// A change on this node takes effect at once, a change on another node within `lifetime`.
package final class AppDirectory: Sendable {
    /// Seconds for which apps are cached.
    package static let lifetime = 5

    private struct Snapshot {
        var apps: [AppID: App] = [:]
        var domains: [String: AppID] = [:]
        var opened: [AppID: AppRuntime] = [:]
        /// The apps as they were opened before the last load. Their unchanged keys are not opened again.
        var previous: [AppID: AppRuntime] = [:]
        var loadedAt: Timestamp?
        /// The ids of missing master keys that were already reported.
        var told: Set<String> = []
        /// Counts invalidations and loads. Data that was read before one of them must not be cached after it.
        var version = 0
    }

    private let store: any AppStore
    private let keys: KeyRing
    private let origins: PublicOrigins
    private let defaultApp: AppID?
    private let sightings: KeyFirstSeen
    private let environment: ServiceEnvironment
    private let notices: @Sendable (ServiceNotice) -> Void
    private let snapshot = Mutex(Snapshot())

    package init(
        store: any AppStore, keys: KeyRing, origins: PublicOrigins, defaultApp: AppID?, sightings: KeyFirstSeen,
        environment: ServiceEnvironment, notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) {
        self.store = store
        self.keys = keys
        self.origins = origins
        self.defaultApp = defaultApp
        self.sightings = sightings
        self.environment = environment
        self.notices = notices
    }

    /// Returns the app of a host: by the service's own name, by custom domain, by the host's first label, or the default
    /// app.
    ///
    /// - Parameter host: `host[:port]` as the trusted edge received it.
    /// - Throws: `Refusal.notFound` if no app is served under this host.
    package func app(host: String) async throws -> AppRuntime {
        try await loadIfNeeded()
        guard let id = resolve(host: host) else { throw Refusal.notFound("no app is served under this host") }
        return try await app(id)
    }

    /// Whether configuration names the host: it is the service's own name of an app, or an app's custom domain.
    ///
    /// `app(host:)` accepts more: any name that begins with an app's id, and any name at all if there is a default app.
    /// Anybody can create such names.
    package func isConfigured(host: String) async throws -> Bool {
        try await loadIfNeeded()
        let name = Self.bareHost(host)
        return snapshot.withLock { snapshot in
            switch origins.owner(ofHost: name) {
            case .app(let id): snapshot.apps[id] != nil
            case .defaultApp: true
            case nil: snapshot.domains[name] != nil
            }
        }
    }

    package func app(_ id: AppID) async throws -> AppRuntime {
        try await loadIfNeeded()
        let (app, opened, previous, version) = snapshot.withLock {
            ($0.apps[id], $0.opened[id], $0.previous[id], $0.version)
        }
        if let opened { return opened.at(environment.now(), uptime: environment.uptime()) }
        guard let app else { throw Refusal.notFound("there is no app \(id)") }
        let stored = try await store.signingKeys(of: id)
        let ready = sightings.note(stored, of: id)
        let runtime: AppRuntime
        do {
            runtime = try AppRuntime(
                app: app, stored: stored, keys: keys, origins: origins, at: environment.now(),
                uptime: environment.uptime(), previous: previous, ready: ready)
        } catch KeyRingError.unknownMasterKey(let missing) {
            tell([missing])
            throw KeyRingError.unknownMasterKey(missing)
        }
        tell(runtime.missingMasterKeys)
        snapshot.withLock { if $0.version == version { $0.opened[id] = runtime } }
        return runtime
    }

    /// Reports each missing master key once.
    private func tell(_ missing: Set<String>) {
        let new = snapshot.withLock { snapshot in
            let new = missing.subtracting(snapshot.told)
            snapshot.told.formUnion(new)
            return new
        }
        for id in new.sorted() { notices(.masterKeyMissing(id: id)) }
    }

    /// Discards the cache after a change.
    package func invalidate() {
        snapshot.withLock { snapshot in
            snapshot.version += 1
            snapshot.loadedAt = nil
        }
    }

    private func resolve(host: String) -> AppID? {
        let name = Self.bareHost(host)
        return snapshot.withLock { snapshot in
            switch origins.owner(ofHost: name) {
            case .app(let id) where snapshot.apps[id] != nil: return id
            case .defaultApp where defaultApp != nil: return defaultApp
            default: break
            }
            if let id = snapshot.domains[name] { return id }
            if let id = name.split(separator: ".").first.flatMap({ AppID($0) }), snapshot.apps[id] != nil { return id }
            return defaultApp
        }
    }

    private static func bareHost(_ host: String) -> String {
        let lowered = host.lowercased()
        if lowered.hasPrefix("[") { return String(lowered.prefix { $0 != "]" }) + "]" }
        return String(lowered.prefix { $0 != ":" })
    }

    private func loadIfNeeded() async throws {
        let now = environment.now()
        let (isLoaded, version) = snapshot.withLock { snapshot in
            (snapshot.loadedAt.map { now < $0 + Self.lifetime && $0 <= now } ?? false, snapshot.version)
        }
        guard !isLoaded else { return }
        let apps = try await store.apps()
        snapshot.withLock { snapshot in
            guard snapshot.version == version else { return }
            let byID = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
            snapshot.version += 1
            // Open all apps again: a key that another node has added is not visible in the settings.
            snapshot.previous = snapshot.previous.merging(snapshot.opened) { _, newer in newer }
                .filter { byID[$0.key] != nil }
            snapshot.opened = [:]
            snapshot.apps = byID
            snapshot.domains = Dictionary(apps.flatMap { app in app.domains.map { ($0, app.id) } }) { first, _ in first
            }
            snapshot.loadedAt = now
        }
    }
}
