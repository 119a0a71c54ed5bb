internal import SessionDomain

extension Verification {
    static let columns = """
        token_hash, app_id, type, canonical, value, login_config_id, code_challenge, is_suppressed, code_hash,
        code_seed, code_expires_at, previous_code_hash, previous_code_expires_at, checks, sends, last_sent_at,
        created_at, payers
        """

    init(reading columns: inout ColumnReader) throws {
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

    func insertion() throws -> Statement {
        Statement(
            """
            INSERT INTO verifications (\(Self.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
            """,
            [
                tokenHash, appID, identifier.type, identifier.canonical, identifier.value, loginConfigID, codeChallenge,
                isSuppressed, code.hash, code.seed.map(StoredJSON.text), code.expiresAt, previousCode?.hash,
                previousCode?.expiresAt, checks, sends, lastSentAt, createdAt, Payer.text(payers),
            ])
    }

    /// Writes what attempts and new codes change.
    func replacement(with new: Verification) throws -> Statement {
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
    static func ends(of identifier: CanonicalIdentifier, app: AppID) -> [Statement] {
        let selection = "WHERE app_id = $1 AND type = $2 AND canonical = $3"
        return [
            "UPDATE verifications SET is_suppressed = TRUE \(selection) AND login_config_id <> ''",
            "DELETE FROM verifications \(selection) AND login_config_id = ''",
            "DELETE FROM messages \(selection) AND status = 'pending' AND has_code",
        ].map { Statement($0, [app, identifier.type, identifier.canonical]) }
    }
}

extension CanonicalIdentifier {
    /// Deletes the messages to it, and replaces it in verifications.
    func forgetting(app: AppID) -> [Statement] {
        [
            Statement(
                """
                UPDATE verifications SET canonical = $4::text || left(token_hash, 22), value = $4::text || left(token_hash, 22)
                WHERE app_id = $1 AND type = $2 AND canonical = $3
                """, [app, type, canonical, pseudonymPrefix]),
            Statement(
                "DELETE FROM messages WHERE app_id = $1 AND type = $2 AND canonical = $3", [app, type, canonical]),
        ]
    }
}
