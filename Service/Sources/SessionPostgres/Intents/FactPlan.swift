internal import SessionDomain
internal import SessionSQL

/// The statements that read the rows of a `FactQuery`, all of them in one round trip.
///
/// First come the locks. A statement sees what was committed before it began, so those after the locks read rows that no
/// other node can change any more. What depends on another row names it by a sub-select.
struct FactPlan {
    /// What the statements have found so far.
    struct Findings {
        var facts = FoundRows()
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
    func found(_ rows: some Collection<Rows>) throws -> FoundRows {
        var findings = Findings()
        for (rows, reading) in zip(rows, readings) { try reading?(rows, &findings) }
        try checkLocks(findings)
        return compared(findings)
    }

    private mutating func add(_ sql: String, _ values: [(any ColumnValue)?], _ reading: Reading? = nil) {
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
        add(App.all, []) { rows, found in
            found.facts.apps = try rows.all(App.init(reading:))
        }
    }

    /// A counter that was at its limit. It may have been cleared since.
    private mutating func add(refused counter: FactQuery.CounterSelector, app: AppID) {
        let statement = counter.key.reading(app: app)
        statements.append(statement)
        readings.append { rows, found in
            found.facts.failures.add(counter, at: try rows.first(StoredCounter.init(reading:))?.counter)
        }
    }

    /// Adds the counters of the budget that are at their limit.
    private func compared(_ findings: Findings) -> FoundRows {
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

extension FactPlan {
    private mutating func addApp(_ app: AppID) {
        if query.settings {
            add(App.byID, [app]) { rows, found in
                found.facts.settings = try rows.first(App.init(reading:))
            }
        }
        if let purpose = query.signingKeys {
            add(StoredSigningKey.ofPurpose, [app, purpose]) { rows, found in
                found.facts.signingKeys = try rows.all(StoredSigningKey.init(reading:))
            }
        }
    }

    private mutating func addRows(_ references: RowReferences) {
        let app = references.app
        if let id = query.challenge {
            add(StepUpChallenge.byID, [app, id]) {
                $1.facts.challenge = try $0.first(StepUpChallenge.init(reading:))
            }
        }
        if let session = references.session {
            add(
                "SELECT \(Session.columns) FROM sessions WHERE app_id = $1 AND id = \(session.sql)", session.values(app)
            ) { $1.facts.session = try $0.first(Session.init(reading:)) }
        }
        if let verification = references.verification {
            add(
                "SELECT \(Verification.columns) FROM verifications WHERE app_id = $1 AND token_hash = \(verification.sql)",
                verification.values(app)
            ) { $1.facts.verification = try $0.first(Verification.init(reading:)) }
        }
        if let user = references.user { addUser(user, app: app) }
        if let id = query.unredeemedChallenges {
            add(StepUpChallenge.unredeemedOfSession, [app, id]) {
                $1.facts.unredeemedChallenges = try $0.all(StepUpChallenge.init(reading:))
            }
        }
        if let owners = query.owners { addOwners(owners, app: app) }
    }

    private mutating func addUser(_ user: RowReferences.Reference, app: AppID) {
        let columns =
            switch query.user {
            case .identifier, .ofVerification: User.columnsWithoutProfile
            case .id, .ofSession, nil: User.columns
            }
        add("SELECT \(columns) FROM users WHERE app_id = $1 AND id = \(user.sql)", user.values(app)) {
            $1.facts.user = try $0.first(User.init(reading:))
        }
        add(
            "SELECT \(IdentifierRow.columns) FROM identifiers WHERE app_id = $1 AND user_id = \(user.sql) ORDER BY position",
            user.values(app)
        ) { $1.facts.user?.set(try $0.all(IdentifierRow.init(reading:))) }
        if query.passwordHash {
            add("SELECT password_hash FROM users WHERE app_id = $1 AND id = \(user.sql)", user.values(app)) {
                $1.facts.passwordHash = try $0.first { columns -> String? in try columns.next() } ?? nil
            }
        }
        if query.passkeys {
            add(Passkey.all(of: user.sql), user.values(app)) {
                $1.facts.passkeys = try $0.all(Passkey.init(reading:))
            }
        }
        if let now = query.grants {
            add(Grant.live(of: user.sql, at: user.next, .postgres), user.values(app, now)) {
                $1.facts.grants = try $0.all(Grant.init(reading:))
            }
        }
        let live = "FROM sessions WHERE app_id = $1 AND user_id = \(user.sql) AND \(Session.isLive(at: user.next))"
        if let now = query.liveSessions {
            add("SELECT \(Session.columns) \(live) ORDER BY id", user.values(app, now)) {
                $1.facts.liveSessions = try $0.all(Session.init(reading:))
            }
        }
        if let surplus = query.surplusSessions {
            add(
                "SELECT \(Session.columns) \(live) ORDER BY last_seen_at DESC, id DESC OFFSET $\(4 + user.more.count)",
                user.values(app, surplus.now, surplus.keeping)
            ) { $1.facts.surplusSessions = try $0.all(Session.init(reading:)) }
        }
    }

    private mutating func addOwners(_ owners: FactQuery.OwnerSelector, app: AppID) {
        let (condition, values) = Self.condition(of: owners, app: app)
        add("SELECT \(User.columns) FROM users WHERE \(condition) ORDER BY id", values) {
            $1.facts.owners = try $0.all(User.init(reading:))
        }
        add(
            """
            SELECT \(IdentifierRow.columns) FROM identifiers
            WHERE app_id = $1 AND user_id IN (SELECT id FROM users WHERE \(condition)) ORDER BY position
            """, values
        ) { rows, found in
            let identifiers = Dictionary(grouping: try rows.all(IdentifierRow.init(reading:)), by: \.userID)
            for index in found.facts.owners.indices {
                found.facts.owners[index].set(identifiers[found.facts.owners[index].id] ?? [])
            }
        }
    }

    private mutating func addOutbox(_ app: AppID) {
        if query.webhookCount { add(Webhook.count, [app]) { $1.facts.webhookCount = try $0.total() } }
        if let id = query.webhook {
            add(Webhook.byID, [app, id]) { $1.facts.webhook = try $0.first(Webhook.init(reading:)) }
            if let due = query.dueDeliveries {
                add(WebhookDelivery.due(.postgres), [app, id, due.now, due.limit]) {
                    $1.facts.dueDeliveries = try $0.all(WebhookDelivery.init(reading:))
                }
            }
        }
        if let selector = query.message {
            let (statement, read) = QueuedMessage.reading(selector, app: app, .postgres)
            add(statement.sql, statement.values) { $1.facts.message = try $0.first(read) }
        }
    }
}

extension FactPlan {
    /// Locks the rows that the decision depends on: always the app first, then the webhook, the user, the sessions, the challenge
    /// and the verification. All intents have this order, so they wait for each other and never in a circle. What belongs to a
    /// user is locked with the user, and deliveries with their webhook.
    private mutating func addLocks(_ rows: RowReferences) {
        let (query, app) = (rows.query, rows.app)
        let changesApp =
            query.signingKeys != nil || query.webhookCount || (query.settings && !query.shared.contains(.settings))
        if changesApp || query.settings {
            lock("apps", "id = $1", [app], isShared: !changesApp)
        }
        if let webhook = query.webhook {
            lock("webhooks", "app_id = $1 AND id = $2", [app, webhook], isShared: false)
        }
        // A user that is shared is not locked: those who share a lock would keep a suspension waiting as long as they come
        // one after the other. What ends sessions locks the sessions, so each refresh is before it or after it.
        if let user = rows.user, !query.shared.contains(.user) {
            lock("users", "app_id = $1 AND id = \(user.sql)", user.values(app), isShared: false, Self.noteUsers)
        }
        if let owners = query.owners {
            let (condition, values) = Self.condition(of: owners, app: app)
            lock("users", condition + " ORDER BY id", values, isShared: false, Self.noteUsers)
        }
        if let user = rows.user { lockSessions(of: user, app: app) }
        if let session = rows.session {
            lock("sessions", "app_id = $1 AND id = \(session.sql)", session.values(app), isShared: false)
        }
        if let id = query.unredeemedChallenges {
            lock("sessions", "app_id = $1 AND id = $2", [app, id], isShared: false)
        }
        if let challenge = query.challenge {
            lock("challenges", "app_id = $1 AND id = $2", [app, challenge], isShared: false)
        }
        if let verification = rows.verification {
            lock(
                "verifications", "app_id = $1 AND token_hash = \(verification.sql)", verification.values(app),
                isShared: false)
        }
    }

    /// Locks the sessions that the decision may end, in the order in which transactions of several refreshes lock them.
    private mutating func lockSessions(of user: RowReferences.Reference, app: AppID) {
        let live = "app_id = $1 AND user_id = \(user.sql) AND \(Session.isLive(at: user.next))"
        if let now = query.liveSessions {
            lock("sessions", "\(live) ORDER BY id", user.values(app, now), isShared: false)
        }
        if let surplus = query.surplusSessions {
            let offset = "OFFSET $\(4 + user.more.count)"
            lock(
                "sessions",
                """
                app_id = $1 AND id = ANY (ARRAY(
                    SELECT id FROM sessions WHERE \(live) ORDER BY last_seen_at DESC, id DESC \(offset)))
                ORDER BY id
                """, user.values(app, surplus.now, surplus.keeping), isShared: false)
        }
    }

    private mutating func lock(
        _ table: String, _ condition: String, _ values: [(any ColumnValue)?], isShared: Bool,
        _ reading: Reading? = nil
    ) {
        add(
            "SELECT \(reading == nil ? "1" : "id") FROM \(table) WHERE \(condition) FOR \(isShared ? "SHARE" : "NO KEY UPDATE")",
            values, reading)
    }

    private static func noteUsers(_ rows: Rows, _ found: inout Findings) throws {
        found.lockedUsers.formUnion(try rows.all { try $0.next() as String })
    }

    /// The users that have any of the identifiers, or the external id.
    private static func condition(
        of owners: FactQuery.OwnerSelector, app: AppID
    ) -> (sql: String, values: [(any ColumnValue)?]) {
        let sql = """
            app_id = $1 AND id IN (
                SELECT user_id FROM identifiers
                JOIN unnest($2::text[], $3::text[]) AS wanted (type, canonical) USING (type, canonical)
                WHERE app_id = $1
                UNION ALL SELECT user_id FROM external_ids WHERE app_id = $1 AND external_id = $4)
            """
        return (
            sql,
            [
                app, TextArray(owners.identifiers.map(\.type.rawValue)),
                TextArray(owners.identifiers.map(\.canonical)), owners.externalID,
            ]
        )
    }
}

extension FactPlan {
    /// Reads all counters that the budget may have, because only the rows show which device the caller has.
    private mutating func addBudget(_ references: RowReferences) {
        guard let selector = references.query.budget else { return }
        let (app, budget) = (references.app, selector.budget)
        switch selector.subject {
        case .identifier(let identifier):
            addEpoch(
                of: budget.device, "identifiers.type = $3 AND identifiers.canonical = $4",
                [app, budget.device?.userID, identifier.type, identifier.canonical])
            addCounters("key = ANY ($2::text[])", [app, TextArray(Self.keys(of: budget, for: identifier))])
        case .ofVerification:
            guard let key = references.verification else { return }
            let next = 3 + key.more.count
            addEpoch(
                of: budget.device,
                """
                (identifiers.type, identifiers.canonical) = (
                    SELECT type, canonical FROM verifications WHERE app_id = $1 AND token_hash = \(key.sql))
                """, key.values(app, budget.device?.userID), user: "$\(next)")
            addCounters(
                """
                key = ANY (ARRAY(
                    SELECT replace(template, $\(next), left(canonical, size))
                    FROM verifications, unnest($\(next + 1)::text[]) AS template,
                        (VALUES (2), (3), (4), (5), (6), (7), (1000000)) AS part (size)
                    WHERE app_id = $1 AND token_hash = \(key.sql)))
                """, key.values(app, Self.placeholder, TextArray(Self.templates(of: budget))))
        }
    }

    /// - Parameter user: The parameter of the device's user.
    private mutating func addEpoch(
        of device: KnownDevice?, _ condition: String, _ values: [(any ColumnValue)?], user: String = "$2"
    ) {
        guard device != nil else { return }
        add(
            """
            SELECT users.login_epoch FROM identifiers
            JOIN users ON users.app_id = identifiers.app_id AND users.id = identifiers.user_id
            WHERE identifiers.app_id = $1 AND identifiers.user_id = \(user) AND \(condition)
            """, values
        ) { $1.epoch = try $0.first { try $0.next() } }
    }

    private mutating func addCounters(_ condition: String, _ values: [(any ColumnValue)?]) {
        add("SELECT \(StoredCounter.columns) FROM counters WHERE app_id = $1 AND \(condition)", values) { rows, found in
            for row in try rows.all(StoredCounter.init(reading:)) { found.counters[row.key] = row.counter }
        }
    }

    private static let standings: [KnownDevice.Standing] = [.stranger, .former, .known]

    private static func keys(of budget: CallBudget, for identifier: CanonicalIdentifier) -> [String] {
        Set(standings.flatMap { budget.compared(for: identifier, device: $0).map(\.key.text) }).sorted()
    }

    /// Stands for an identifier that only the server knows yet. A plus and three characters, as the longest calling code: the
    /// keys of some counters contain one, or one and three more digits.
    private static let placeholder = "+\u{2}\u{2}\u{2}"

    /// The keys of the counters of an identifier of each type. The server also makes keys that no counter has.
    private static func templates(of budget: CallBudget) -> [String] {
        let identifiers = IdentifierType.allCases.map {
            CanonicalIdentifier(type: $0, canonical: placeholder, value: placeholder)
        }
        return Set(identifiers.flatMap { keys(of: budget, for: $0) }).sorted()
    }
}
