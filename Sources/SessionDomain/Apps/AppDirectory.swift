internal import Synchronization

/// Finds apps by host and keeps them opened for a few seconds, so that a request costs no look-up.
///
/// A change made on this node is seen at once, one made elsewhere within `lifetime`.
package final class AppDirectory: Sendable {
    /// Seconds for which apps are kept.
    package static let lifetime = 5

    private struct Snapshot {
        var apps: [AppID: App] = [:]
        var domains: [String: AppID] = [:]
        var opened: [AppID: AppRuntime] = [:]
        /// As they were opened before the last load, for the keys that stay.
        var previous: [AppID: AppRuntime] = [:]
        var loadedAt: Timestamp?
        /// Master keys that are missing, and were told of.
        var told: Set<String> = []
        /// Counts invalidations and loads: what was read before one must not be kept after it.
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

    /// The app a host names: by custom domain, else by its first label, else the default one.
    ///
    /// - Parameter host: `host[:port]` as the trusted edge saw it.
    package func app(host: String) async throws -> AppRuntime {
        try await loadIfNeeded()
        guard let id = resolve(host: host) else { throw Refusal.notFound("no app is served under this host") }
        return try await app(id)
    }

    /// Whether configuration names the host: the service's own name of an app, or an app's domain. What `app(host:)` also
    /// takes, any name that begins with an app's id and whatever the default app is for, anybody can make.
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

    /// Says once of each master key that it is missing.
    private func tell(_ missing: Set<String>) {
        let new = snapshot.withLock { snapshot in
            let new = missing.subtracting(snapshot.told)
            snapshot.told.formUnion(new)
            return new
        }
        for id in new.sorted() { notices(.masterKeyMissing(id: id)) }
    }

    /// Forgets what is kept, after a change.
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
            // A key added elsewhere shows in no setting, so what is opened goes with the list it belongs to.
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
