internal import GRDB
internal import SessionDomain

extension GrantMode: DatabaseValueConvertible {}

extension StepUpChallenge {
    static let columns = """
        id, app_id, user_id, session_id, scope, grant_mode, granted_for, steps, new_identifier, created_at, token_id,
        steps_done, wrong_codes, expires_at, completed_at, redeemed_at
        """

    init(reading columns: inout ColumnReader) throws {
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
}

extension Database {
    func challenge(_ id: String, app: AppID) throws -> StepUpChallenge? {
        try first(
            "SELECT \(StepUpChallenge.columns) FROM challenges WHERE app_id = ? AND id = ?", [app, id],
            as: StepUpChallenge.init(reading:))
    }

    func insert(_ challenge: StepUpChallenge) throws {
        try run(
            """
            INSERT INTO challenges (\(StepUpChallenge.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                challenge.id, challenge.appID, challenge.userID, challenge.sessionID, challenge.scope,
                challenge.terms.mode, challenge.terms.grantedFor, try StoredJSON.text(challenge.steps),
                try challenge.newIdentifier.map(StoredJSON.text), challenge.createdAt, challenge.tokenID,
                challenge.stepsDone, challenge.wrongCodes, challenge.expiresAt, challenge.completedAt,
                challenge.redeemedAt,
            ])
    }

    /// Writes what steps, wrong codes and the redemption change.
    func replace(_ old: StepUpChallenge, with new: StepUpChallenge) throws {
        try run(
            """
            UPDATE challenges SET token_id = ?, steps_done = ?, wrong_codes = ?, expires_at = ?, completed_at = ?,
                redeemed_at = ?
            WHERE app_id = ? AND id = ? AND token_id = ? AND wrong_codes = ? AND redeemed_at IS ?
            """,
            [
                new.tokenID, new.stepsDone, new.wrongCodes, new.expiresAt, new.completedAt, new.redeemedAt, old.appID,
                old.id, old.tokenID, old.wrongCodes, old.redeemedAt,
            ], orFail: .stale)
    }

    func delete(_ challenge: StepUpChallenge) throws {
        try run(
            """
            DELETE FROM challenges
            WHERE app_id = ? AND id = ? AND token_id = ? AND wrong_codes = ? AND redeemed_at IS ?
            """,
            [challenge.appID, challenge.id, challenge.tokenID, challenge.wrongCodes, challenge.redeemedAt],
            orFail: .stale)
    }

    func unredeemedChallenges(ofSession id: String, app: AppID) throws -> [StepUpChallenge] {
        try all(
            """
            SELECT \(StepUpChallenge.columns) FROM challenges
            WHERE app_id = ? AND session_id = ? AND redeemed_at IS NULL ORDER BY created_at DESC, id DESC
            """, [app, id], as: StepUpChallenge.init(reading:))
    }
}
