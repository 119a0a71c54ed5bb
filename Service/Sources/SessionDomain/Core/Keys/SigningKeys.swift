internal import Dispatch
internal import SessionTokens

/// Lists, rotates and reseals the signing keys of apps.
package struct SigningKeys: Sendable {
    private let store: any AppStore
    private let keys: KeyRing
    private let directory: AppDirectory?
    private let environment: ServiceEnvironment
    package let policy: KeyRotationPolicy

    /// - Parameter directory: Invalidated after each change. `nil` in processes that serve no requests.
    package init(
        store: any AppStore, keys: KeyRing, directory: AppDirectory?, environment: ServiceEnvironment,
        policy: KeyRotationPolicy = KeyRotationPolicy()
    ) {
        self.store = store
        self.keys = keys
        self.directory = directory
        self.environment = environment
        self.policy = policy
    }

    /// Returns all keys of an app with their states, by purpose, latest `activeFrom` first.
    package func all(of app: AppID) async throws -> [(key: StoredSigningKey, state: KeySchedule.State)] {
        let (stored, now) = (try await store.signingKeys(of: app), environment.now())
        return StoredSigningKey.Purpose.allCases.flatMap { purpose in
            let schedule = KeySchedule(stored, purpose: purpose)
            return schedule.keys.map { ($0, schedule.state(of: $0, at: now)) }
        }
    }

    /// Generates a key without storing it.
    func generate(
        app: AppID, purpose: StoredSigningKey.Purpose, algorithm: KeyAlgorithm
    ) async throws -> StoredSigningKey {
        let (keys, now, generateRSAKey) = (keys, environment.now(), environment.generateRSAKey)
        return try await KeyGenerationQueue.run {
            try keys.makeSigningKey(
                app: app, purpose: purpose, algorithm: algorithm, at: now, generateRSAKey: generateRSAKey)
        }
    }

    /// Rotates the keys of one purpose. A key is generated only if the store needs one.
    ///
    /// - Throws: `Refusal.notFound` without the app; `Refusal.conflict` if a requested successor is not possible now.
    @discardableResult
    package func rotate(
        _ purpose: StoredSigningKey.Purpose, of app: AppID, reason: KeyRotation.Reason
    ) async throws -> KeyRotationDecision {
        var candidate: StoredSigningKey?
        // The app's algorithm may change while a key is generated, but hardly twice.
        for _ in 0..<3 {
            let decision = try await store.perform(
                RotateSigningKeys(rotation(purpose, of: app, reason: reason, candidate: candidate)))
            guard let decision else { throw Refusal.notFound("there is no app \(app)") }
            guard let algorithm = decision.neededAlgorithm else {
                if reason == .request { try await requireRoom(purpose, of: app, after: decision) }
                if !decision.isEmpty {
                    directory?.invalidate()
                    // Load the new key now, so that its waiting time does not start with the next request only.
                    _ = try? await directory?.app(app)
                }
                if !decision.rescheduled.isEmpty {
                    environment.observer.observe(
                        .notice(.keysRescheduled(app: app, keyIDs: decision.rescheduled)))
                }
                return decision
            }
            candidate = try await generate(app: app, purpose: purpose, algorithm: algorithm)
        }
        throw Refusal.conflict("the app's signing_algorithm changed during the rotation: retry")
    }

    /// - Throws: `Refusal.conflict` if a successor was requested and there are too many keys to add one.
    private func requireRoom(
        _ purpose: StoredSigningKey.Purpose, of app: AppID, after decision: KeyRotationDecision
    ) async throws {
        guard decision.added == nil else { return }
        let keys = KeySchedule(try await store.signingKeys(of: app), purpose: purpose).keys
        guard keys.count >= KeyRotation.maximum, !keys.contains(where: { $0.activeFrom > environment.now() }) else {
            return
        }
        throw Refusal.conflict(
            "there are \(keys.count) keys of the purpose \(purpose.rawValue) already; each is removed when everything that it "
                + "signed has expired")
    }

    /// Rotates what is due in all apps. An app that fails is reported, and the others are processed.
    package func maintain(report: @Sendable (any Error) -> Void) async throws {
        var ages: [StoredSigningKey.Purpose: Int64] = [:]
        for app in try await store.apps() {
            do {
                for (purpose, age) in try await maintain(app) { ages[purpose] = max(ages[purpose] ?? 0, age) }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                report(KeyMaintenanceError(app: app.id, cause: error))
            }
        }
        environment.observer.observe(.keyAges(ages))
    }

    /// - Returns: Seconds since the current key of each purpose became active.
    private func maintain(_ app: App) async throws -> [StoredSigningKey.Purpose: Int64] {
        let stored = try await store.signingKeys(of: app.id)
        // Open the keys of an app without requests, too: the waiting time of new keys starts, and a process that misses a
        // later master key can continue with keys that it has opened.
        _ = try? await directory?.app(app.id)
        var failure: (any Error)?
        for purpose in StoredSigningKey.Purpose.allCases {
            // Most rounds find nothing to do. Then no transaction is needed.
            let rotation = rotation(purpose, of: app.id, reason: .schedule)
            guard !rotation.decide(stored.filter { $0.purpose == purpose }, app: app).isEmpty else { continue }
            do {
                try await rotate(purpose, of: app.id, reason: .schedule)
            } catch {
                // Process the other purposes first: only this round removes their outdated keys.
                failure = error
            }
        }
        if let failure { throw failure }
        let now = environment.now()
        var ages: [StoredSigningKey.Purpose: Int64] = [:]
        for purpose in StoredSigningKey.Purpose.allCases {
            guard let key = KeySchedule(stored, purpose: purpose).signing(at: now) else { continue }
            ages[purpose] = max(0, now.seconds - key.activeFrom.seconds)
        }
        return ages
    }

    /// The id of the master key with which `reseal` seals.
    package var masterKeyID: String { keys.currentID }

    /// Seals every key, and every secret of a route, with the current master key. Returns how many were sealed with an
    /// older one.
    package func reseal() async throws -> Int {
        var count = 0
        for app in try await store.apps() {
            let events = EventFactory(appID: app.id, environment: environment)
            for old in try await store.signingKeys(of: app.id) {
                guard let new = try keys.resealed(old) else { continue }
                if try await store.perform(ResealSigningKey(old, as: new, events: events)) { count += 1 }
            }
            if let delivery = app.delivery, try keys.resealed(delivery, app: app.id).count > 0 {
                count += try await resealDelivery(of: app.id)
            }
        }
        directory?.invalidate()
        return count
    }

    /// Seals the secrets of the routes as they are stored now, without an event: no setting changes.
    private func resealDelivery(of app: AppID) async throws -> Int {
        let keys = keys
        return try await store.perform(
            UpdateApp(app) { app in
                guard let stored = app.delivery else { return 0 }
                let (config, count) = try keys.resealed(stored, app: app.id)
                app.delivery = config
                return count
            }) ?? 0
    }

    /// Replaces what only lost master keys can open: each purpose of an app with such a signing key gets a new one at once, and
    /// routes for messages with such a secret are removed.
    ///
    /// - Returns: The number of signing keys that were removed, and the apps that have lost routes.
    package func replaceUnreadable() async throws -> (keys: Int, appsWithoutRoutes: [AppID]) {
        var (count, apps): (Int, [AppID]) = (0, [])
        let readable = keys.ids
        for app in try await store.apps() {
            let lost = try await store.signingKeys(of: app.id).filter {
                !readable.contains(MasterKey.id(ofKeyThatSealed: $0.sealedPrivateKey))
            }
            for purpose in Set(lost.map(\.purpose)) { try await rotate(purpose, of: app.id, reason: .emergency) }
            count += lost.count
            if let delivery = app.delivery, !delivery.sealingKeyIDs.isSubset(of: readable) {
                _ = try await store.perform(UpdateApp(app.id) { $0.delivery?.removeRoutes(exceptSealedWith: readable) })
                apps.append(app.id)
            }
        }
        directory?.invalidate()
        return (count, apps)
    }

    private func rotation(
        _ purpose: StoredSigningKey.Purpose, of app: AppID, reason: KeyRotation.Reason,
        candidate: StoredSigningKey? = nil
    ) -> KeyRotation {
        KeyRotation(
            appID: app, purpose: purpose, reason: reason, policy: policy, candidate: candidate,
            now: environment.now(), events: EventFactory(appID: app, environment: environment))
    }
}

/// The housekeeping round failed for the signing keys of one app.
package struct KeyMaintenanceError: Error, CustomStringConvertible {
    package let app: AppID
    package let cause: any Error

    package var description: String { "maintaining the signing keys of app \(app) failed: \(cause)" }
}

/// Stores a key that is sealed under another master key. Returns `false` if the stored key was sealed again in the meantime.
package struct ResealSigningKey: Intent {
    package let old: StoredSigningKey
    package let new: StoredSigningKey
    /// Reports the change.
    package let events: EventFactory?

    package init(_ old: StoredSigningKey, as new: StoredSigningKey, events: EventFactory? = nil) {
        self.old = old
        self.new = new
        self.events = events
    }

    package var reads: Read<[StoredSigningKey]> { Read(app: old.appID, .signingKeys(old.purpose)) }

    package func decide(_ keys: [StoredSigningKey]) -> Decision<Bool> {
        guard let stored = keys.first(where: { $0.keyID == old.keyID }),
            stored.sealedPrivateKey == old.sealedPrivateKey
        else { return Decision(false) }
        var resealed = stored
        resealed.sealedPrivateKey = new.sealedPrivateKey
        let event = events.map { [Change.append($0.signingKeyResealed(resealed))] } ?? []
        return Decision(true, [.replaceSigningKey(stored, with: resealed)] + event)
    }
}

extension EventFactory {
    fileprivate func signingKeyResealed(_ key: StoredSigningKey) -> Event {
        make(.signingKeyResealed, ["key_id": .string(key.keyID), "purpose": .string(key.purpose.rawValue)])
    }
}

/// Generates keys on a thread of its own: an RSA key takes some tenths of a second, and requests must not wait for it.
private enum KeyGenerationQueue {
    private static let queue = DispatchQueue(label: "prelude-session.key-generation")

    static func run<Key: Sendable>(_ generate: @escaping @Sendable () throws -> Key) async throws -> Key {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try generate() }) }
        }
    }
}
