package import SessionDomain

extension StepUpChallenge {
    package static let columns = """
        id, app_id, user_id, session_id, scope, grant_mode, granted_for, steps, new_identifier, created_at, token_id,
        steps_done, wrong_codes, expires_at, completed_at, redeemed_at
        """

    package static let byID = "SELECT \(columns) FROM challenges WHERE app_id = $1 AND id = $2"

    package static let unredeemedOfSession = """
        SELECT \(columns) FROM challenges
        WHERE app_id = $1 AND session_id = $2 AND redeemed_at IS NULL ORDER BY created_at DESC, id DESC
        """

    package init(reading columns: inout ColumnReader) throws {
        let (id, appID, userID, sessionID, scope): (String, AppID, String, String, String) = (
            try columns.next(), try columns.next(), try columns.next(), try columns.next(), try columns.next()
        )
        let terms = GrantTerms(mode: try columns.next(), grantedFor: try columns.next())
        let steps: [StepUpStep] = try StoredJSON.value(try columns.next())
        let newIdentifier: String? = try columns.next()
        self.init(
            id: id, appID: appID, userID: userID, sessionID: sessionID, scope: scope, terms: terms, steps: steps,
            newIdentifier: try newIdentifier.map { try StoredJSON.value($0) }, createdAt: try columns.next(),
            tokenID: try columns.next(), stepsDone: try columns.next(), wrongCodes: try columns.next(),
            expiresAt: try columns.next(), completedAt: try columns.next(), redeemedAt: try columns.next())
    }

    func insertion() throws -> Statement {
        Statement(
            "INSERT INTO challenges (\(Self.columns)) VALUES (\(Statement.parameters(16)))",
            [
                id, appID, userID, sessionID, scope, terms.mode, terms.grantedFor, try StoredJSON.text(steps),
                try newIdentifier.map(StoredJSON.text), createdAt, tokenID, stepsDone, wrongCodes, expiresAt,
                completedAt, redeemedAt,
            ])
    }

    /// Writes what steps, wrong codes and the redemption change.
    func replacement(with new: StepUpChallenge) -> Statement {
        .guarded(
            """
            UPDATE challenges SET token_id = $1, steps_done = $2, wrong_codes = $3, expires_at = $4, completed_at = $5,
                redeemed_at = $6
            WHERE app_id = $7 AND id = $8 AND token_id = $9 AND wrong_codes = $10
                AND redeemed_at IS NOT DISTINCT FROM $11
            """,
            [
                new.tokenID, new.stepsDone, new.wrongCodes, new.expiresAt, new.completedAt, new.redeemedAt, appID, id,
                tokenID, wrongCodes, redeemedAt,
            ], orFail: .stale)
    }

    var deletion: Statement {
        .guarded(
            """
            DELETE FROM challenges WHERE app_id = $1 AND id = $2 AND token_id = $3 AND wrong_codes = $4
                AND redeemed_at IS NOT DISTINCT FROM $5
            """, [appID, id, tokenID, wrongCodes, redeemedAt], orFail: .stale)
    }
}

/// Deletions of challenges and grants by what they belong to.
enum StepUpDeletion {
    static func of(_ user: User) -> [Statement] { both("user_id = $2", [user.appID, user.id]) }

    static func of(_ session: Session) -> [Statement] { both("session_id = $2", [session.appID, session.id]) }

    static func except(scopes: Set<String>, app: AppID) -> [Statement] {
        // No scope has the empty name, and a list needs one.
        let kept = [""] + scopes.sorted()
        let parameters = kept.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        return both("scope NOT IN (\(parameters))", [app] + kept)
    }

    private static func both(_ condition: String, _ values: [(any ColumnValue)?]) -> [Statement] {
        ["challenges", "grants"].map { Statement("DELETE FROM \($0) WHERE app_id = $1 AND \(condition)", values) }
    }
}
