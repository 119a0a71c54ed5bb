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
    func update(_ challenge: StepUpChallenge) throws {
        try run(
            """
            UPDATE challenges SET token_id = ?, steps_done = ?, wrong_codes = ?, expires_at = ?, completed_at = ?,
                redeemed_at = ?
            WHERE app_id = ? AND id = ?
            """,
            [
                challenge.tokenID, challenge.stepsDone, challenge.wrongCodes, challenge.expiresAt,
                challenge.completedAt, challenge.redeemedAt, challenge.appID, challenge.id,
            ])
    }

    func delete(_ challenge: StepUpChallenge) throws {
        try run("DELETE FROM challenges WHERE app_id = ? AND id = ?", [challenge.appID, challenge.id])
    }

    /// Ends every step-up of a user, running or granted: what it rested on has changed.
    func endStepUps(of userID: String, app: AppID) throws {
        try run("DELETE FROM challenges WHERE app_id = ? AND user_id = ?", [app, userID])
        try run("DELETE FROM grants WHERE app_id = ? AND user_id = ?", [app, userID])
    }
}
