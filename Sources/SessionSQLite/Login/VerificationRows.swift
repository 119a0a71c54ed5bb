internal import GRDB
internal import SessionDomain

extension Verification {
    static let columns = """
        token_hash, app_id, type, canonical, value, login_config_id, code_challenge, is_suppressed, code_hash,
        code_expires_at, checks, sends, last_sent_at, created_at
        """

    init(reading columns: inout ColumnReader) throws {
        self.init(
            tokenHash: try columns.next(), appID: try columns.next(),
            identifier: CanonicalIdentifier(
                type: try columns.next(), canonical: try columns.next(), value: try columns.next()),
            loginConfigID: try columns.next(), codeChallenge: try columns.next(), isSuppressed: try columns.next(),
            codeHash: try columns.next(), codeExpiresAt: try columns.next(), checks: try columns.next(),
            sends: try columns.next(), lastSentAt: try columns.next(), createdAt: try columns.next())
    }
}

extension Database {
    func verification(tokenHash: String, app: AppID) throws -> Verification? {
        try first(
            "SELECT \(Verification.columns) FROM verifications WHERE app_id = ? AND token_hash = ?", [app, tokenHash],
            as: Verification.init(reading:))
    }

    func insert(_ verification: Verification) throws {
        let identifier = verification.identifier
        try run(
            "INSERT INTO verifications (\(Verification.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                verification.tokenHash, verification.appID, identifier.type, identifier.canonical, identifier.value,
                verification.loginConfigID, verification.codeChallenge, verification.isSuppressed,
                verification.codeHash, verification.codeExpiresAt, verification.checks, verification.sends,
                verification.lastSentAt, verification.createdAt,
            ])
    }

    /// Writes what checks and new codes change.
    func update(_ verification: Verification) throws {
        try run(
            """
            UPDATE verifications SET code_hash = ?, code_expires_at = ?, checks = ?, sends = ?, last_sent_at = ?
            WHERE app_id = ? AND token_hash = ?
            """,
            [
                verification.codeHash, verification.codeExpiresAt, verification.checks, verification.sends,
                verification.lastSentAt, verification.appID, verification.tokenHash,
            ])
    }

    func delete(_ verification: Verification) throws {
        try run(
            "DELETE FROM verifications WHERE app_id = ? AND token_hash = ?",
            [verification.appID, verification.tokenHash])
    }

    /// Ends all that run for these identifiers: their codes are dead.
    func deleteVerifications(of identifiers: [CanonicalIdentifier], app: AppID) throws {
        for identifier in identifiers {
            try run(
                "DELETE FROM verifications WHERE app_id = ? AND type = ? AND canonical = ?",
                [app, identifier.type, identifier.canonical])
        }
    }
}
