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

@Suite("Refusals of a step, as a table")
struct ChallengeReferenceTableTests {
    private static let rows: [Row] = [
        Row("the valid token, with its key", nil),
        Row("with the refresh token of a session without a key", nil) {
            $0.pinned = nil
            $0.proof = nil
            $0.held = "ses_1"
        },
        Row("with nothing, if the session has no key (R12)", .unauthorized) {
            $0.pinned = nil
            $0.proof = nil
        },
        Row("with any key, if the session has none (R12)", .unauthorized) { $0.pinned = nil },
        Row("with the refresh token of another session (R12)", .unauthorized) {
            $0.pinned = nil
            $0.held = "ses_2"
        },
        Row("with the refresh token and without the key, if the session has one (R12)", .missingProof) {
            $0.proof = nil
            $0.held = "ses_1"
        },
        Row("in the last second, with one attempt left", nil) { $0.wrongCodes = StepUpChallenge.maximumWrongCodes - 1 },

        Row("no such challenge", .invalidChallenge) { $0.hasChallenge = false },
        Row("a token of another session (R12)", .invalidChallenge) { $0.tokenSession = "ses_2" },
        Row("a token of another user (R12)", .invalidChallenge) { $0.tokenUser = "usr_2" },
        Row("a challenge of another session (R12)", .invalidChallenge) { $0.challengeSession = "ses_2" },
        Row("a challenge of another user (R12)", .invalidChallenge) { $0.challengeUser = "usr_2" },
        Row("a session that has ended", .invalidChallenge) { $0.revokedAt = now },
        Row("an inactive user", .invalidChallenge) { $0.status = .inactive },
        Row("a suspended user", .invalidChallenge) { $0.status = .suspended },
        Row("without the session's key (R12)", .missingProof) { $0.proof = nil },
        Row("with another key (R12)", .proofKeyMismatch) { $0.proof = "thief" },
        Row("a token that was used (S4)", .challengeReused) { $0.tokenID = "chl_0" },
        Row("an expired step", .expiredChallenge) { $0.expires = 0 },
        Row("after the last wrong code", .invalidChallenge) { $0.wrongCodes = StepUpChallenge.maximumWrongCodes },
        Row("a completed challenge", .stepNotFound) { $0.isCompleted = true },

        Row("a caller without the key learns nothing about the challenge", .proofKeyMismatch) {
            $0.proof = "thief"
            $0.tokenID = "chl_0"
            $0.expires = 0
            $0.wrongCodes = 5
        },
        Row("a used token of an expired step is reported as used", .challengeReused) {
            $0.tokenID = "chl_0"
            $0.expires = 0
        },
    ]

    @Test("A step gets the refusal of its row", arguments: rows)
    private func refusal(row: Row) throws {
        #expect(try row.judge() == row.refusal)
    }
}
