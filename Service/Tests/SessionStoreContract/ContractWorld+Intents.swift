internal import SessionDomain

extension ContractWorld {
    /// Reads the rows that a query asks for.
    func read(_ ask: @escaping @Sendable (inout FactQuery) -> Void) async throws -> FoundRows {
        try await store.perform(ReadRows(query: FactQuery(app: app, ask)))
    }

    /// Applies changes as they are. Repeats them if a guard fails, so a guard that always fails ends in an error.
    func write(_ changes: Change...) async throws {
        try await store.perform(WriteChanges(changes: changes))
    }

    /// Applies changes, and returns the guards that failed in the first attempt, if any.
    func failures(of changes: Change...) async throws -> GuardFailures {
        try await store.perform(TryChanges(changes: changes))
    }

    /// Starts a change of a user.
    ///
    /// - Parameter seconds: How long after `now` the change happens.
    func change(of userID: String, app: AppID? = nil, after seconds: Int = 0) -> UserChange {
        UserChange(of: userID, app: app ?? self.app, now: now + seconds, events: events())
    }

    /// Deletes what has expired, under the retention of the service.
    func deleteExpired(now: Timestamp, limit: Int) async throws -> Int {
        let ends = Retention.ends(ofEventsKeptFor: Retention.eventDays, now: now)
        return try await store.deleteExpired(now: now, limit: limit)
            + store.deleteEvents(of: app, until: ends.until, pendingUntil: ends.pendingUntil, limit: limit)
    }
}

/// Remembers a proof. Returns `false` if it was used before.
struct ReserveProof: Intent {
    let proof: ProofUse
    let appID: AppID
    let now: Timestamp

    init(_ proof: ProofUse, app: AppID, now: Timestamp) {
        self.proof = proof
        appID = app
        self.now = now
    }

    var reads: Read<GuardFailures> { Read(app: appID, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<Bool> {
        if failures.isTaken(.proof(proof.replayKey)) { return Decision(false) }
        return Decision(true, [.reserveProof(proof, app: appID, now: now)])
    }
}

private struct ReadRows: Intent {
    let query: FactQuery

    var reads: Read<FoundRows> { Read(query) { $0 } }

    func decide(_ rows: FoundRows) -> Decision<FoundRows> { Decision(rows) }
}

private struct WriteChanges: Intent {
    let changes: [Change]
    let reads = Read<Void>(app: nil)

    func decide(_: Void) -> Decision<Void> { Decision((), changes) }
}

private struct TryChanges: Intent {
    let changes: [Change]
    let reads = Read(app: nil, .failures)

    func decide(_ failures: GuardFailures) -> Decision<GuardFailures> {
        failures == GuardFailures() ? Decision(failures, changes) : Decision(failures)
    }
}
