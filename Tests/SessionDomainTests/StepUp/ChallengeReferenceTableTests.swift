import Testing

@testable import SessionDomain

/// One valid step of a challenge, and what a row changes of it.
private struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var tokenID = "chl_1"
    var tokenSession = "ses_1"
    var tokenUser = "usr_1"
    var proof: String? = "key"
    var held: String?
    var pinned: String? = "key"
    var hasChallenge = true
    var challengeSession = "ses_1"
    var challengeUser = "usr_1"
    var expires = 1
    var wrongCodes = 0
    var isCompleted = false
    var status = User.Status.active
    var revokedAt: Timestamp?
    let refusal: Refusal?

    init(_ name: String, _ refusal: Refusal?, _ change: (inout Row) -> Void = { _ in }) {
        self.name = name
        self.refusal = refusal
        change(&self)
    }

    var testDescription: String { name }

    func judge() throws -> Refusal? {
        let reference = ChallengeReference(
            id: "chg_1", tokenID: tokenID, sessionID: tokenSession, userID: tokenUser, expiresAt: now + 1,
            proofThumbprint: proof, heldSessionID: held)
        let challenge = StepUpChallenge(
            id: "chg_1", appID: try appID(), userID: challengeUser, sessionID: challengeSession, scope: "pay",
            terms: GrantTerms(mode: .singleUse, grantedFor: 0),
            steps: [StepUpStep(order: 1, key: "kyc", expirationDuration: 60)], createdAt: now - 10, tokenID: "chl_1",
            stepsDone: isCompleted ? 1 : 0, wrongCodes: wrongCodes, expiresAt: now + expires,
            completedAt: isCompleted ? now : nil)
        return reference.refusal(
            challenge: hasChallenge ? challenge : nil, session: try TestApp.session(key: pinned, revokedAt: revokedAt),
            user: try TestApp.user(status: status), now: now)
    }
}

@Suite("Whether a step may be done now, as a table")
struct ChallengeReferenceTableTests {
    private static let rows: [Row] = [
        Row("the token that is good now, with its key", nil),
        Row("with the refresh token of a session without a key", nil) {
            $0.pinned = nil
            $0.proof = nil
            $0.held = "ses_1"
        },
        Row("R12: with nothing, where the session has no key", .unauthorized) {
            $0.pinned = nil
            $0.proof = nil
        },
        Row("R12: with any key, where the session has none", .unauthorized) { $0.pinned = nil },
        Row("R12: with the refresh token of another session", .unauthorized) {
            $0.pinned = nil
            $0.held = "ses_2"
        },
        Row("R12: with the refresh token and without the key, where the session has one", .missingProof) {
            $0.proof = nil
            $0.held = "ses_1"
        },
        Row("in the last second, with one try left", nil) { $0.wrongCodes = StepUpChallenge.maximumWrongCodes - 1 },

        Row("no such challenge", .invalidChallenge) { $0.hasChallenge = false },
        Row("R12: a token of another session", .invalidChallenge) { $0.tokenSession = "ses_2" },
        Row("R12: a token of another user", .invalidChallenge) { $0.tokenUser = "usr_2" },
        Row("R12: a challenge of another session", .invalidChallenge) { $0.challengeSession = "ses_2" },
        Row("R12: a challenge of another user", .invalidChallenge) { $0.challengeUser = "usr_2" },
        Row("a session that has ended", .invalidChallenge) { $0.revokedAt = now },
        Row("an inactive user", .invalidChallenge) { $0.status = .inactive },
        Row("a suspended user", .invalidChallenge) { $0.status = .suspended },
        Row("R12: without the session's key", .missingProof) { $0.proof = nil },
        Row("R12: with another key", .proofKeyMismatch) { $0.proof = "thief" },
        Row("S4: a token that was used", .challengeReused) { $0.tokenID = "chl_0" },
        Row("a step whose time is up", .expiredChallenge) { $0.expires = 0 },
        Row("after the last wrong code", .invalidChallenge) { $0.wrongCodes = StepUpChallenge.maximumWrongCodes },
        Row("a completed challenge", .stepNotFound) { $0.isCompleted = true },

        Row("whoever lacks the key learns nothing of the challenge", .proofKeyMismatch) {
            $0.proof = "thief"
            $0.tokenID = "chl_0"
            $0.expires = 0
            $0.wrongCodes = 5
        },
        Row("a used token is used, even of an expired step", .challengeReused) {
            $0.tokenID = "chl_0"
            $0.expires = 0
        },
    ]

    @Test("Refusal", arguments: rows)
    private func refusal(row: Row) throws {
        #expect(try row.judge() == row.refusal)
    }
}
