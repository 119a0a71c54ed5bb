internal import GRDB
package import SessionDomain

extension Verification {
    static let columns = """
        token_hash, app_id, type, canonical, value, login_config_id, code_challenge, is_suppressed, code_hash,
        code_seed, code_expires_at, previous_code_hash, previous_code_expires_at, checks, sends, last_sent_at,
        created_at, payers
        """

    init(reading columns: inout ColumnReader) throws {
        self.init(
            tokenHash: try columns.next(), appID: try columns.next(),
            identifier: CanonicalIdentifier(
                type: try columns.next(), canonical: try columns.next(), value: try columns.next()),
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
            """
            INSERT INTO verifications (\(Verification.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                verification.tokenHash, verification.appID, identifier.type, identifier.canonical, identifier.value,
                verification.loginConfigID, verification.codeChallenge, verification.isSuppressed,
                verification.code.hash, verification.code.seed.map(StoredJSON.text), verification.code.expiresAt,
                verification.previousCode?.hash, verification.previousCode?.expiresAt, verification.checks,
                verification.sends, verification.lastSentAt, verification.createdAt,
                Verification.Payer.text(verification.payers),
            ])
    }

    /// Writes what attempts and new codes change.
    func replace(_ old: Verification, with new: Verification) throws {
        try run(
            """
            UPDATE verifications SET code_hash = ?, code_seed = ?, code_expires_at = ?, previous_code_hash = ?,
                previous_code_expires_at = ?, checks = ?, sends = ?, last_sent_at = ?, payers = ?
            WHERE app_id = ? AND token_hash = ? AND checks = ? AND sends = ?
            """,
            [
                new.code.hash, new.code.seed.map(StoredJSON.text), new.code.expiresAt, new.previousCode?.hash,
                new.previousCode?.expiresAt, new.checks, new.sends, new.lastSentAt, Verification.Payer.text(new.payers),
                old.appID, old.tokenHash, old.checks, old.sends,
            ], orFail: .stale)
    }

    func delete(_ verification: Verification) throws {
        try run(
            "DELETE FROM verifications WHERE app_id = ? AND token_hash = ? AND checks = ? AND sends = ?",
            [verification.appID, verification.tokenHash, verification.checks, verification.sends], orFail: .stale)
    }

    func endVerifications(of identifier: CanonicalIdentifier, app: AppID) throws {
        // Without its name, SQLite takes the primary key and reads all verifications of the app.
        let table = "verifications INDEXED BY verifications_by_identifier"
        let selection = "WHERE app_id = ? AND type = ? AND canonical = ? AND login_config_id"
        let arguments: StatementValues = [app, identifier.type, identifier.canonical]
        try run("UPDATE \(table) SET is_suppressed = 1 \(selection) <> ''", arguments)
        try run("DELETE FROM \(table) \(selection) = ''", arguments)
        try run(
            """
            DELETE FROM messages INDEXED BY messages_due
            WHERE status = 'pending' AND app_id = ? AND type = ? AND canonical = ?
                AND json_extract(content, '$.code') IS NOT NULL
            """, arguments)
    }
}

extension Database {
    func forget(_ identifier: CanonicalIdentifier, app: AppID) throws {
        try run(
            """
            UPDATE verifications INDEXED BY verifications_by_identifier
            SET canonical = ? || substr(token_hash, 1, 22), value = ? || substr(token_hash, 1, 22)
            WHERE app_id = ? AND type = ? AND canonical = ?
            """,
            [
                identifier.pseudonymPrefix, identifier.pseudonymPrefix, app, identifier.type, identifier.canonical,
            ])
        try run(
            "DELETE FROM messages WHERE app_id = ? AND type = ? AND canonical = ?",
            [app, identifier.type, identifier.canonical])
    }
}

extension SQLiteStore: LoginStore {
    package func verification(tokenHash: String, app: AppID) async throws -> Verification? {
        try await read { db in try db.verification(tokenHash: tokenHash, app: app) }
    }
}
