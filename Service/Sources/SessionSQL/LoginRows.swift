package import SessionDomain

extension Verification {
    package static let columns = """
        token_hash, app_id, type, canonical, value, login_config_id, code_challenge, is_suppressed, code_hash,
        code_seed, code_expires_at, previous_code_hash, previous_code_expires_at, checks, sends, last_sent_at,
        created_at, payers
        """

    package static let byTokenHash = "SELECT \(columns) FROM verifications WHERE app_id = $1 AND token_hash = $2"

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            tokenHash: try columns.next(), appID: try columns.next(),
            identifier: try CanonicalIdentifier(reading: &columns),
            loginConfigID: try columns.next(), codeChallenge: try columns.next(), isSuppressed: try columns.next(),
            code: try Self.code(&columns), previousCode: try Self.previousCode(&columns), checks: try columns.next(),
            sends: try columns.next(), lastSentAt: try columns.next(), createdAt: try columns.next())
        payers = Payer.all(in: try columns.next())
    }

    private static func code(_ columns: inout ColumnReader) throws -> IssuedCode {
        let (hash, seed): (String, String?) = (try columns.next(), try columns.next())
        return IssuedCode(hash: hash, seed: try seed.map { try StoredJSON.value($0) }, expiresAt: try columns.next())
    }

    private static func previousCode(_ columns: inout ColumnReader) throws -> IssuedCode? {
        let (hash, expiresAt): (String?, Timestamp?) = (try columns.next(), try columns.next())
        guard let hash, let expiresAt else { return nil }
        return IssuedCode(hash: hash, seed: nil, expiresAt: expiresAt)
    }

    var insertion: Statement {
        Statement(
            "INSERT INTO verifications (\(Self.columns)) VALUES (\(Statement.parameters(18)))",
            [
                tokenHash, appID, identifier.type, identifier.canonical, identifier.value, loginConfigID, codeChallenge,
                isSuppressed, code.hash, code.seed.map(StoredJSON.text), code.expiresAt, previousCode?.hash,
                previousCode?.expiresAt, checks, sends, lastSentAt, createdAt, Payer.text(payers),
            ])
    }

    /// Writes what attempts and new codes change.
    func replacement(with new: Verification) -> Statement {
        .guarded(
            """
            UPDATE verifications SET code_hash = $1, code_seed = $2, code_expires_at = $3, previous_code_hash = $4,
                previous_code_expires_at = $5, checks = $6, sends = $7, last_sent_at = $8, payers = $9
            WHERE app_id = $10 AND token_hash = $11 AND checks = $12 AND sends = $13
            """,
            [
                new.code.hash, new.code.seed.map(StoredJSON.text), new.code.expiresAt, new.previousCode?.hash,
                new.previousCode?.expiresAt, new.checks, new.sends, new.lastSentAt, Payer.text(new.payers), appID,
                tokenHash, checks, sends,
            ], orFail: .stale)
    }

    var deletion: Statement {
        .guarded(
            "DELETE FROM verifications WHERE app_id = $1 AND token_hash = $2 AND checks = $3 AND sends = $4",
            [appID, tokenHash, checks, sends], orFail: .stale)
    }

    /// Ends every verification of an identifier. Codes that wait to be sent are deleted.
    static func ends(of identifier: CanonicalIdentifier, app: AppID, _ dialect: Dialect) -> [Statement] {
        let table = "verifications\(dialect.by("verifications_by_identifier"))"
        let selection = "app_id = $1 AND type = $2 AND canonical = $3"
        let hasCode = dialect == .sqlite ? "json_extract(content, '$.code') IS NOT NULL" : "has_code"
        return [
            "UPDATE \(table) SET is_suppressed = TRUE WHERE \(selection) AND login_config_id <> ''",
            "DELETE FROM \(table) WHERE \(selection) AND login_config_id = ''",
            "DELETE FROM messages\(dialect.by("messages_due")) WHERE status = 'pending' AND \(selection) AND \(hasCode)",
        ].map { Statement($0, [app, identifier.type, identifier.canonical]) }
    }
}

extension StoredCounter {
    package static let columns = "counters.key, counters.count, counters.resets_at"

    package init(reading columns: inout ColumnReader) throws {
        self.init(
            key: try columns.next(), counter: RateCounter(count: try columns.next(), resetsAt: try columns.next()))
    }
}

extension CounterKey {
    /// Reads the counter with this key.
    package func reading(app: AppID) -> Statement {
        Statement("SELECT \(StoredCounter.columns) FROM counters WHERE app_id = $1 AND key = $2", [app, text])
    }

    /// A condition for the keys that begin with a prefix. It reads them in their order, so that the counters of other users cost
    /// nothing.
    private static func keys(_ prefix: String, app: AppID) -> (condition: String, values: [(any ColumnValue)?]) {
        ("app_id = $1 AND key >= $2 AND key < $3", [app, prefix, prefix + "\u{10FFFF}"])
    }

    /// Reads some counters, and all of a user's devices and sessions, in the order of their keys.
    static func reading(_ keys: [CounterKey], ofUser userID: String, app: AppID) -> [Statement] {
        keys.map { $0.reading(app: app) }
            + prefixes(ofUser: userID).map { prefix in
                let (condition, values) = Self.keys(prefix, app: app)
                return Statement("SELECT \(StoredCounter.columns) FROM counters WHERE \(condition)", values)
            }
    }

    static func clearing(_ prefixes: [String], app: AppID) -> [Statement] {
        prefixes.map { prefix in
            let (condition, values) = keys(prefix, app: app)
            return Statement("DELETE FROM counters WHERE \(condition)", values)
        }
    }
}

extension SQLStore {
    package func verification(tokenHash: String, app: AppID) async throws -> Verification? {
        try await first(Statement(Verification.byTokenHash, [app, tokenHash]), Verification.init(reading:))
    }

    package func counters(
        _ keys: [CounterKey], ofUser userID: String, app: AppID
    ) async throws -> [StoredCounter] {
        try await read(CounterKey.reading(keys, ofUser: userID, app: app)) { rows in
            try rows.flatMap { try $0.all(StoredCounter.init(reading:)) }
        }
    }
}
