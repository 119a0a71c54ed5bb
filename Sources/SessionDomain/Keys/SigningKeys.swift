/// The signing keys of apps: what there is, successors by schedule or by hand, and another master key.
package struct SigningKeys: Sendable {
    private let store: any AppStore
    private let keys: KeyRing
    private let directory: AppDirectory?
    private let environment: ServiceEnvironment
    private let notices: @Sendable (ServiceNotice) -> Void
    package let policy: KeyRotationPolicy

    /// - Parameters:
    ///   - directory: Told of changes; `nil` where no requests are served.
    ///   - notices: Told of times that were put right.
    package init(
        store: any AppStore, keys: KeyRing, directory: AppDirectory?, environment: ServiceEnvironment,
        policy: KeyRotationPolicy = KeyRotationPolicy(),
        notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) {
        self.store = store
        self.keys = keys
        self.directory = directory
        self.notices = notices
        self.environment = environment
        self.policy = policy
    }

    /// All keys of an app with their states, by purpose, the last to sign first.
    package func all(of app: AppID) async throws -> [(key: StoredSigningKey, state: KeySchedule.State)] {
        let (stored, now) = (try await store.signingKeys(of: app), environment.now())
        return StoredSigningKey.Purpose.allCases.flatMap { purpose in
            let schedule = KeySchedule(stored, purpose: purpose)
            return schedule.keys.map { ($0, schedule.state(of: $0, at: now)) }
        }
    }

    /// A key that nobody has yet.
    func make(
        app: AppID, purpose: StoredSigningKey.Purpose, algorithm: KeyAlgorithm
    ) async throws -> StoredSigningKey {
        let (keys, now) = (keys, environment.now())
        return try await KeyGenerationQueue.run {
            try keys.makeSigningKey(app: app, purpose: purpose, algorithm: algorithm, at: now)
        }
    }

    /// Does what is due for one purpose. A key is only made when the store asks for one.
    @discardableResult
    package func rotate(
        _ purpose: StoredSigningKey.Purpose, of app: AppID, reason: KeyRotation.Reason
    ) async throws -> KeyRotationDecision {
        var candidate: StoredSigningKey?
        // Another algorithm may be chosen while a key is being made, but hardly twice.
        for _ in 0..<3 {
            let decision = try await store.perform(
                RotateSigningKeys(rotation(purpose, of: app, reason: reason, candidate: candidate)))
            guard let decision else { throw Refusal.notFound("there is no app \(app)") }
            guard let algorithm = decision.wanted else {
                if reason == .request { try await refuseWhereFull(purpose, of: app, after: decision) }
                if !decision.isNothing {
                    directory?.invalidate()
                    // So that this process knows a new key from now on, and not from the next request.
                    _ = try? await directory?.app(app)
                }
                if !decision.mistaken.isEmpty { notices(.keysRescheduled(app: app, keyIDs: decision.mistaken)) }
                return decision
            }
            candidate = try await make(app: app, purpose: purpose, algorithm: algorithm)
        }
        throw Refusal.conflict("the app's signing_algorithm changed meanwhile; ask again")
    }

    /// - Throws: `Refusal.conflict` where a successor was asked for, and there are too many keys to make another.
    private func refuseWhereFull(
        _ purpose: StoredSigningKey.Purpose, of app: AppID, after decision: KeyRotationDecision
    ) async throws {
        guard decision.added == nil else { return }
        let keys = KeySchedule(try await store.signingKeys(of: app), purpose: purpose).keys
        guard keys.count >= KeyRotation.maximum, !keys.contains(where: { $0.activeFrom > environment.now() }) else {
            return
        }
        throw Refusal.conflict(
            "there are \(keys.count) keys of the purpose \(purpose.rawValue) already; each goes when nothing that it signed "
                + "is good any more")
    }

    /// The housekeeper's round over all apps. An app that fails is reported, and the others go on.
    package func maintain(report: @Sendable (any Error) -> Void) async throws {
        for app in try await store.apps() {
            do {
                try await maintain(app)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                report(KeyMaintenanceError(app: app.id, cause: error))
            }
        }
    }

    private func maintain(_ app: App) async throws {
        let stored = try await store.signingKeys(of: app.id)
        // Where nobody asks for anything, keys are noticed all the same, and opened while they can be.
        _ = try? await directory?.app(app.id)
        var failure: (any Error)?
        for purpose in StoredSigningKey.Purpose.allCases {
            // Most rounds find nothing, and then nothing is written.
            let rotation = rotation(purpose, of: app.id, reason: .schedule)
            guard !rotation.decide(stored.filter { $0.purpose == purpose }, app: app).isNothing else { continue }
            do {
                try await rotate(purpose, of: app.id, reason: .schedule)
            } catch {
                // The other purposes have their turn first: a key that is over goes by this round alone.
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// The name of the master key under which `reseal` seals.
    package var masterKeyID: String { keys.currentID }

    /// Seals every key under the current master key; how many were under an older one.
    package func reseal() async throws -> Int {
        var count = 0
        for app in try await store.apps() {
            for old in try await store.signingKeys(of: app.id) {
                guard let new = try keys.resealed(old) else { continue }
                if try await store.perform(ResealSigningKey(old, as: new)) { count += 1 }
            }
        }
        directory?.invalidate()
        return count
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

/// The keys of one app could not be looked after.
package struct KeyMaintenanceError: Error, CustomStringConvertible {
    package let app: AppID
    package let cause: any Error

    package var description: String { "the signing keys of app \(app) could not be looked after: \(cause)" }
}
