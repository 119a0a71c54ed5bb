internal import SessionDomain
internal import Testing

@Suite("Decision on a refresh token, as a table")
struct RotationTableTests {
    private static let rows: [RotationRow] = [
        RotationRow("the current token rotates", .rotate),
        RotationRow("without attempt ids the current token rotates", .rotate) { $0.lastAttempt = nil },
        RotationRow("a new attempt id rotates the current token", .rotate) { $0.attempt = "new" },

        RotationRow("the same attempt id gets the same successor again", .again) {
            $0.generation = 4
            $0.attempt = "last"
        },
        RotationRow("the same attempt id has no time limit", .again) {
            $0.generation = 4
            $0.attempt = "last"
            $0.sinceRotation = 900
        },
        RotationRow("another attempt id with the previous token is a second holder", .reuse(.otherAttempt)) {
            $0.generation = 4
            $0.attempt = "new"
        },
        RotationRow("another attempt id is a second holder with a nonce, too", .reuse(.otherAttempt)) {
            $0.generation = 4
            $0.attempt = "new"
            $0.hasNonce = true
            $0.made = -1
        },
        RotationRow("no attempt id after a rotation with one is a second holder", .reuse(.otherAttempt)) {
            $0.generation = 4
        },
        RotationRow("an attempt id after a rotation without one is a second holder", .reuse(.otherAttempt)) {
            $0.generation = 4
            $0.attempt = "new"
            $0.lastAttempt = nil
        },

        RotationRow("an earlier attempt id with the previous token is a late request", .spent) {
            $0.generation = 4
            $0.attempt = "before-1"
        },
        RotationRow("an earlier attempt id with an older token is a late request", .spent) {
            $0.generation = 2
            $0.attempt = "before-8"
        },
        RotationRow("the last attempt id with an older token is a late request", .spent) {
            $0.generation = 3
            $0.attempt = "last"
        },
        RotationRow("an attempt id that is no longer remembered is reuse", .reuse(.olderToken)) {
            $0.generation = 2
            $0.attempt = "before-9"
            $0.hasNonce = true
            $0.windowBegan = -1
        },
        RotationRow("more than eight rotations within a nonce window revoke nothing", .nonce) {
            $0.generation = -4
            $0.attempt = "before-9"
            $0.hasNonce = true
            $0.settled = -4
        },

        RotationRow("an old token without a nonce is perhaps late, whatever the device's clock", .nonce) {
            $0.generation = 3
            $0.sinceRotation = 10
            $0.made = 9
        },
        RotationRow("an old token with a nonce of the window of the last rotations is perhaps late", .nonce) {
            $0.generation = 3
            $0.hasNonce = true
            $0.settled = 4
        },
        RotationRow("an old token with a nonce of the previous window is perhaps late", .nonce) {
            $0.generation = 3
            $0.hasNonce = true
            $0.window = .previous
            $0.windowBegan = -1
        },
        RotationRow("an old token whose successor was spent before the nonce's window is reuse", .reuse(.olderToken)) {
            $0.generation = 3
            $0.hasNonce = true
            $0.settled = 5
        },
        RotationRow("an old token is reuse in the window after the last rotation", .reuse(.olderToken)) {
            $0.generation = 3
            $0.hasNonce = true
            $0.windowBegan = -1
        },
        RotationRow("the previous token with such a proof and an unknown attempt id is perhaps late", .nonce) {
            $0.generation = 4
            $0.attempt = "new"
            $0.made = -1
        },

        RotationRow("a token ahead of the session recovers it", .recover) { $0.generation = 6 },
        RotationRow("a token far ahead of the session recovers it", .recover) {
            $0.generation = 5000
            $0.attempt = "new"
        },
        RotationRow("the last generation that there is cannot rotate", .unauthorized) { $0.generation = .max },
        RotationRow("a token ahead of the session without a proof is only rejected", .refuse(.missingProof)) {
            $0.generation = 6
            $0.proofKey = nil
        },
        RotationRow("a token ahead of the session with another key is only rejected", .refuse(.proofKeyMismatch)) {
            $0.generation = 6
            $0.proofKey = "other"
        },
        RotationRow("a replayed proof does not recover a session", .refuse(.replayedProof)) {
            $0.generation = 6
            $0.isReplay = true
        },
        RotationRow("a stale proof does not recover a session", .nonce) {
            $0.generation = 6
            $0.isFresh = false
        },
        RotationRow("without a pinned key a token ahead of the session is rejected", .unauthorized) {
            $0.generation = 6
            $0.pinned = nil
            $0.proofKey = nil
        },
        RotationRow("without a pinned key a proof does not recover a session", .unauthorized) {
            $0.generation = 6
            $0.pinned = nil
        },
        RotationRow("a revoked session is rejected", .unauthorized) { $0.isRevoked = true },
        RotationRow("an expired session is rejected", .unauthorized) { $0.isExpired = true },
        RotationRow("an old token cannot revoke an expired session", .unauthorized) {
            $0.generation = 1
            $0.isExpired = true
        },

        RotationRow("without its key the current token is rejected", .refuse(.missingProof)) { $0.proofKey = nil },
        RotationRow("without its key the previous token is reuse", .reuse(.missingProof)) {
            $0.proofKey = nil
            $0.generation = 4
        },
        RotationRow("with another key the current token is rejected", .refuse(.proofKeyMismatch)) {
            $0.proofKey = "other"
        },
        RotationRow("with another key the previous token is reuse", .reuse(.otherKey)) {
            $0.proofKey = "other"
            $0.generation = 4
        },
        RotationRow("a replayed proof with the current token is rejected", .refuse(.replayedProof)) {
            $0.isReplay = true
        },
        RotationRow("a replayed proof with the previous token revokes nothing", .refuse(.replayedProof)) {
            $0.isReplay = true
            $0.generation = 4
        },
        RotationRow("the proof of the last rotation is a replay even if its memory expired", .refuse(.replayedProof)) {
            $0.replayKey = "last"
        },
        RotationRow("the proof of the last rotation with the previous token revokes nothing", .refuse(.replayedProof)) {
            $0.replayKey = "last"
            $0.generation = 4
        },

        RotationRow("a stale proof demands a nonce", .nonce) { $0.isFresh = false },
        RotationRow("a stale proof with the previous token demands a nonce", .nonce) {
            $0.isFresh = false
            $0.generation = 4
        },
        RotationRow("a session that was given a nonce requires one", .nonce) { $0.demandsNonce = true },
        RotationRow("a session that was given a nonce rotates with one", .rotate) {
            $0.demandsNonce = true
            $0.hasNonce = true
        },
        RotationRow("an app may always require a nonce", .nonce) { $0.noncePolicy = .always },
        RotationRow("an app that requires a nonce rotates with one", .rotate) {
            $0.noncePolicy = .always
            $0.hasNonce = true
        },
        RotationRow("another key is rejected before a nonce is demanded", .refuse(.proofKeyMismatch)) {
            $0.isFresh = false
            $0.proofKey = "other"
        },

        RotationRow("a replayed proof with an old token revokes nothing", .refuse(.replayedProof)) {
            $0.isReplay = true
            $0.generation = 1
        },

        RotationRow("without attempt ids the previous token gets its successor again", .again) {
            $0.generation = 4
            $0.lastAttempt = nil
        },
        RotationRow("without attempt ids there is no time limit (RFC 9700 §4.14.2)", .again) {
            $0.generation = 4
            $0.lastAttempt = nil
            $0.sinceRotation = 29 * 86_400
            $0.made = 29 * 86_400
        },
        RotationRow("a clock that was set back since the rotation decides nothing", .again) {
            $0.generation = 4
            $0.lastAttempt = nil
            $0.sinceRotation = -300
            $0.made = -300
        },
        RotationRow("without attempt ids a token older than the previous one is no repetition", .reuse(.olderToken)) {
            $0.generation = 3
            $0.lastAttempt = nil
            $0.hasNonce = true
            $0.windowBegan = -1
        },
        RotationRow("the app sets a limit", .again) {
            $0.generation = 4
            $0.lastAttempt = nil
            $0.boundGrace = 120
            $0.sinceRotation = 119
            $0.made = 119
        },
        RotationRow("after the app's limit it is reuse", .reuse(.graceExpired)) {
            $0.generation = 4
            $0.lastAttempt = nil
            $0.boundGrace = 120
            $0.sinceRotation = 120
            $0.made = 120
        },
        RotationRow("without a pinned key the current token rotates", .rotate) {
            $0.pinned = nil
            $0.proofKey = nil
        },
        RotationRow("without a pinned key the previous token is valid for less than ten seconds", .again) {
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 4
            $0.sinceRotation = 9
        },
        RotationRow("without a pinned key the previous token is reuse after ten seconds", .reuse(.graceExpired)) {
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 4
            $0.sinceRotation = 10
        },

        RotationRow("an app that binds access tokens rejects a session without a key (D22)", .refuse(.missingProof)) {
            $0.binding = .dpop
            $0.pinned = nil
            $0.proofKey = nil
        },
        RotationRow("a later proof does not bind such a session (D22)", .refuse(.missingProof)) {
            $0.binding = .dpop
            $0.pinned = nil
        },
        RotationRow("a lost answer is not repeated for such a session (D22)", .refuse(.missingProof)) {
            $0.binding = .dpop
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 4
        },
        RotationRow("reuse in such a session is reuse (D22)", .reuse(.olderToken)) {
            $0.binding = .dpop
            $0.pinned = nil
            $0.proofKey = nil
            $0.generation = 3
        },
        RotationRow("an app that binds access tokens rotates a session with its key", .rotate) { $0.binding = .dpop },
    ]

    // Proves: X8, O32
    @Test("A presented refresh token gets the decision of its row", arguments: rows + RotationRow.ofInactiveUsers)
    func decision(row: RotationRow) throws {
        #expect(RotationVerdict(row.decide(app: try appID())) == row.verdict)
    }

    @Test("A session of another app is rejected")
    func otherApp() throws {
        let row = RotationRow("", .unauthorized)
        #expect(row.decide(app: try appID(), sessionApp: try appID("domain2")) == .refuse(.unauthorized))
    }
}
