internal import SessionDomain

/// The statements that read the rows of a `FactQuery`, all of them in one round trip.
///
/// First come the locks. A statement sees what was committed before it began, so those after the locks read rows that no
/// other node can change any more. What depends on another row names it by a sub-select.
struct FactPlan {
    /// What the statements have found so far.
    struct Findings {
        var facts = Facts()
        /// The counters that a budget may need, by the texts of their keys.
        var counters: [String: RateCounter] = [:]
        /// `User.loginEpoch` of the user of the budget's device, if this user has the identifier.
        var epoch: Int64?
        /// The ids of the users that are locked.
        var lockedUsers: Set<String> = []
    }

    typealias Reading = (Rows, inout Findings) throws -> Void

    private(set) var statements: [Statement] = []
    private var readings: [Reading?] = []
    let query: FactQuery

    /// - Parameter refused: The counters whose guards have failed in an earlier attempt, with their apps.
    init(_ query: FactQuery, refused: [(counter: FactQuery.CounterSelector, app: AppID)] = []) {
        self.query = query
        lockAndReadManagementKeys()
        lockAndReadApps()
        for (counter, app) in refused { add(refused: counter, app: app) }
        guard let app = query.app else { return }
        let references = RowReferences(query, app: app)
        addLocks(references)
        addBudget(references)
        addApp(app)
        addRows(references)
        addOutbox(app)
    }

    /// The facts that the rows contain.
    func facts(_ rows: some Collection<Rows>) throws -> Facts {
        var findings = Findings()
        for (rows, reading) in zip(rows, readings) { try reading?(rows, &findings) }
        try checkLocks(findings)
        return compared(findings)
    }

    mutating func add(_ sql: String, _ values: [(any PostgresValue)?], _ reading: Reading? = nil) {
        statements.append(Statement(sql, values))
        readings.append(reading)
    }

    /// Which user has an identifier can change while a statement waits for the lock. Then the next statement finds another
    /// user, who is not locked.
    private func checkLocks(_ findings: Findings) throws(PostgresFailure) {
        let user = query.shared.contains(.user) ? nil : findings.facts.user?.id
        let found = findings.facts.owners.map(\.id) + [user].compactMap(\.self)
        guard findings.lockedUsers.isSuperset(of: found) else {
            throw PostgresFailure(.conflict, "the user of an identifier changed")
        }
    }

    /// All keys, because the decision is about their number and their creators. They have one lock.
    private mutating func lockAndReadManagementKeys() {
        guard query.managementKeys else { return }
        add("SELECT 1 FROM prelude_session WHERE id = 1 FOR NO KEY UPDATE", [])
        add(ManagementKey.all, []) { rows, found in
            found.facts.managementKeys = try rows.all(ManagementKey.init(reading:))
        }
    }

    /// All apps, because no two may have one domain. They have the lock of the management keys.
    private mutating func lockAndReadApps() {
        guard query.apps else { return }
        add("SELECT 1 FROM prelude_session WHERE id = 1 FOR NO KEY UPDATE", [])
        add("SELECT settings FROM apps ORDER BY created_at, id", []) { rows, found in
            found.facts.apps = try rows.all(App.init(reading:))
        }
    }

    /// A counter that was at its limit. It may have been cleared since.
    private mutating func add(refused counter: FactQuery.CounterSelector, app: AppID) {
        let statement = counter.key.reading(app: app)
        statements.append(statement)
        readings.append { rows, found in
            let current = try rows.first { columns -> RateCounter in
                let _: String = try columns.next()
                return try RateCounter(reading: &columns)
            }
            found.facts.failures.add(counter, at: current)
        }
    }

    /// Adds the counters of the budget that are at their limit.
    private func compared(_ findings: Findings) -> Facts {
        var facts = findings.facts
        guard let selector = query.budget else { return facts }
        let identifier: CanonicalIdentifier? =
            switch selector.subject {
            case .identifier(let identifier): identifier
            case .ofVerification: facts.verification?.identifier
            }
        guard let identifier else { return facts }
        facts.deviceStanding = selector.budget.device?.standing(atEpoch: findings.epoch) ?? .stranger
        for counter in selector.budget.compared(for: identifier, device: facts.deviceStanding) {
            facts.failures.add(counter, at: findings.counters[counter.key.text])
        }
        return facts
    }
}

extension GuardFailures {
    /// Adds a counter if it is at its limit.
    fileprivate mutating func add(_ counter: FactQuery.CounterSelector, at current: RateCounter?) {
        guard case .refused(let until) = RateCounter.take(current, limit: counter.limit, now: counter.now) else {
            return
        }
        add(.exhausted(counter.key, until: until))
    }
}
