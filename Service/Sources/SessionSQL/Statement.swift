package import SessionDomain

/// A statement with the values of `$1`, `$2`, …. Each connection prepares a text once.
///
/// The text names its parameters in their order, `$1` first: SQLite numbers them as they appear.
package struct Statement: Sendable {
    /// What must happen when the statement runs.
    package enum Guard: Sendable {
        /// The statement must change a row. Otherwise the change fails.
        case changes(orFail: FailedGuard)
        /// The query must find a row. Otherwise the change fails.
        case finds(orFail: FailedGuard)
    }

    package let sql: String
    package let values: [(any ColumnValue)?]
    /// `nil`: the statement can change or find no row.
    package let expects: Guard?

    package init(_ sql: String, _ values: [(any ColumnValue)?] = []) { self.init(sql, values, nil) }

    private init(_ sql: String, _ values: [(any ColumnValue)?], _ expects: Guard?) {
        self.sql = sql
        self.values = values
        self.expects = expects
    }

    /// A change that fails if it changes no row.
    package static func guarded(
        _ sql: String, _ values: [(any ColumnValue)?], orFail failure: FailedGuard
    ) -> Statement {
        Statement(sql, values, .changes(orFail: failure))
    }

    /// Fails if a query finds no row.
    package static func expecting(
        _ query: String, _ values: [(any ColumnValue)?], orFail failure: FailedGuard
    ) -> Statement {
        Statement(query, values, .finds(orFail: failure))
    }

    /// `$1, $2, …`, for a row of so many values.
    static func parameters(_ count: Int) -> String { lists[count] }

    private static let lists = (0...24).map { count in
        (0..<count).map { "$\($0 + 1)" }.joined(separator: ", ")
    }
}

/// What the two databases write differently.
package enum Dialect: Sendable {
    case sqlite, postgres

    /// Names the index of a statement, after its table. SQLite has no statistics of the rows, and would read all rows of an app
    /// in the order of their ids. PostgreSQL plans by statistics.
    package func by(_ index: String) -> String { self == .sqlite ? " INDEXED BY \(index)" : "" }

    /// Whether a value is among those of a query. PostgreSQL would join the two tables, and read all rows of one.
    package func among(_ query: String) -> String {
        self == .sqlite ? "IN (\(query))" : "= ANY (ARRAY(\(query)))"
    }

    /// Whether a column contains a text.
    func contains(_ column: String, _ text: String) -> String {
        self == .sqlite ? "instr(\(column), \(text)) > 0" : "position(\(text) IN \(column)) > 0"
    }
}

/// The place of a row among all rows of its kind, in the order in which the database wrote them.
///
/// SQLite numbers its rows. In PostgreSQL it is the time of the server, and the place within the transaction. No row waits for
/// a counter that all logins share, and the order survives a restore on another server. A transaction that writes first can
/// commit last.
package struct WriteOrder: Sendable {
    /// Numbers per microsecond. They suffice until the year 2255.
    private static let perMicrosecond: Int64 = 1024
    /// How much lower a number can be in PostgreSQL than that of a row that was visible before: 20 seconds, which are more than
    /// a transaction of a request lasts, and than the clock of a new primary is behind.
    package static let lateness = 20_000_000 * perMicrosecond

    let dialect: Dialect
    /// The place within the transaction.
    private let position: Int

    package init(_ dialect: Dialect, position: Int) {
        self.dialect = dialect
        self.position = position
    }

    /// The column after the others of an insertion.
    var column: String { dialect == .sqlite ? "" : ", sequence" }

    /// The expression after the others of an insertion.
    ///
    /// - Parameter number: That of the parameter, which is the last one.
    func expression(_ number: Int) -> String {
        dialect == .sqlite ? "" : ", \(Self.sequence("$\(number)"))"
    }

    /// The number of a row in PostgreSQL.
    ///
    /// - Parameter position: An expression for the place within the transaction.
    static func sequence(_ position: String) -> String {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * \(perMicrosecond) + \(position)::bigint"
    }

    /// The value of the expression.
    var values: [(any ColumnValue)?] { dialect == .sqlite ? [] : [position] }
}

extension Change {
    /// The statements of one change, with its guard.
    ///
    /// - Returns: `nil` for proofs, redemptions and single counters, which each store keeps in its own way.
    package func statements(_ order: WriteOrder) throws -> [Statement]? {
        let dialect = order.dialect
        switch self {
        case .reserveProof, .redeem, .count, .uncount, .clearCounter, .endMark: return nil
        case .clearCounters(let prefixes, let app): return CounterKey.clearing(prefixes, app: app)

        case .insertUser(let user, let passwordHash):
            return try user.insertions(passwordHash: passwordHash, dialect)
        case .replaceUser(let old, let new): return try old.replacements(with: new, dialect)
        case .deleteUser(let user): return user.deletions(dialect)
        case .setPasswordHash(let hash, let old, let user): return [user.passwordHashChange(hash, replacing: old)]
        case .voidLogins(let user): return [user.loginVoiding]
        case .setLocale(let locale, let user): return [user.localeChange(to: locale)]
        case .insertIdentifier(let identifier, let user, let until):
            return [identifier.insertion(of: user, heldUntil: until)]
        case .releaseIdentifiers(let user): return [user.identifierRelease]
        case .deleteIdentifier(let identifier, let user): return [identifier.deletion(of: user)]

        case .insertPasskey(let passkey): return [passkey.insertion]
        case .replacePasskey(let old, let new): return [old.replacement(with: new)]
        case .deletePasskey(let passkey): return [passkey.deletion]

        case .insertVerification(let verification): return [verification.insertion]
        case .replaceVerification(let old, let new): return [old.replacement(with: new)]
        case .deleteVerification(let verification): return [verification.deletion]
        case .endVerifications(let identifier, let app): return Verification.ends(of: identifier, app: app, dialect)
        case .forgetIdentifier(let identifier, let app): return identifier.forgetting(app: app, dialect)

        case .insertMessage(let message): return [try message.insertion(dialect)]
        case .deleteMessage(let message): return [message.deletion]
        case .deleteMessages(let userID, let app): return [QueuedMessage.deletion(ofUser: userID, app: app, dialect)]
        case .replaceMessage(let old, let new): return [try old.replacement(with: new)]

        case .insertSession(let session): return [session.insertion]
        case .replaceSession(let old, let new): return [old.replacement(with: new)]

        case .insertChallenge(let challenge): return [try challenge.insertion()]
        case .replaceChallenge(let old, let new): return [old.replacement(with: new)]
        case .deleteChallenge(let challenge): return [challenge.deletion]
        case .insertGrant(let grant): return [grant.insertion]
        case .deleteGrant(let grant): return [grant.deletion]
        case .deleteStepUps(let user): return StepUpDeletion.of(user)
        case .deleteStepUpsOfSession(let session): return StepUpDeletion.of(session)
        case .deleteStepUpsExcept(let scopes, let app): return StepUpDeletion.except(scopes: scopes, app: app)

        case .insertApp(let app): return [try app.insertion()]
        case .replaceApp(_, let new): return [try new.update()]
        case .insertSigningKey(let key): return [key.insertion(order)]
        case .replaceSigningKey(let old, let new): return [old.replacement(with: new)]
        case .deleteSigningKey(let key): return [key.deletion]
        case .insertManagementKey(let key): return [key.insertion]
        case .deleteManagementKey(let key): return [key.deletion]
        case .reassignManagementKeys(let old, let new): return [old.reassignment(to: new)]
        case .recordManagementKeyUse(let id, let time): return [ManagementKey.use(of: id, at: time)]

        case .append(let event): return event.insertions(order)
        case .forgetEvents(let userID, let pseudonym, let app):
            return Event.forgetting(ofUser: userID, as: pseudonym, app: app, dialect)
        case .insertWebhook(let webhook, let count): return [webhook.insertion(expectedCount: count)]
        case .replaceWebhook(let old, let new): return [old.replacement(with: new)]
        case .deleteWebhook(let webhook): return [webhook.deletion]
        case .failPendingDeliveries(let webhook, let error, let limit):
            return [webhook.pendingFailure(error, limit: limit)]
        case .deleteDeliveries(let webhook, let limit): return [webhook.deletionOfDeliveries(limit: limit, dialect)]
        case .leaseDelivery(let delivery, let until): return [delivery.lease(until: until)]
        case .recordDelivery(let delivery, let onlyIfPending):
            return [delivery.record(onlyIfPending: onlyIfPending)]
        }
    }
}
