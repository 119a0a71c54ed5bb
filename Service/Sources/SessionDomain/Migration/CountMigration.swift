/// Counts a credential of an earlier system for the networks of its caller, before the operator's backend is asked. Returns the
/// limit that is reached.
struct CountMigration: Intent {
    let networks: [CountedNetwork]
    let appID: AppID
    let limit: RateLimit
    let now: Timestamp
    /// Reports the limit.
    let events: EventFactory

    var facts: FactQuery { FactQuery(app: appID) }

    func decide(_ facts: Facts) -> Decision<ReachedLimit?> {
        let counters = networks.map { network in
            FactQuery.CounterSelector(
                .migrationsOfNetwork(network.digest), limit: limit.widened(by: network.widening), now: now)
        }
        if let limit = facts.reached(counters) {
            return Decision(limit, events.loginLimited(limit, .migration, of: LoginSubject(nil), facts))
        }
        return Decision(nil, counters.map { $0.counted(app: appID) })
    }
}

/// Takes the count of a credential back that was accepted.
struct UncountMigration: Intent {
    let networks: [CountedNetwork]
    let appID: AppID

    var facts: FactQuery { FactQuery(app: appID) }

    func decide(_ facts: Facts) -> Decision<Void> {
        Decision((), networks.map { .uncount(.migrationsOfNetwork($0.digest), app: appID) })
    }
}
