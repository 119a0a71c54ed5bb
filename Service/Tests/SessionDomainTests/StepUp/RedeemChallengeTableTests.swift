import Testing

@testable import SessionDomain

/// One valid redemption, and what a row changes of it.
private struct Row: Sendable, CustomTestStringConvertible {
    enum Verdict: Equatable {
        case grant(until: Timestamp)
        case before
        case refuse(Refusal)
    }

    var name: String
    var tokenID = "chl_1"
    var tokenSession = "ses_1"
    var tokenUser = "usr_1"
    var hasChallenge = true
    var challengeSession = "ses_1"
    var challengeApp = "domain1"
    var mode = GrantMode.sessionBound
    var grantedFor = 60
    var completed: Int? = -10
    var expires = 1
    var isRedeemed = false
    var isRepeat = false
    let verdict: Verdict

    init(_ name: String, _ verdict: Verdict, _ change: (inout Row) -> Void = { _ in }) {
        self.name = name
        self.verdict = verdict
        change(&self)
    }

    var testDescription: String { name }

    func challenge() throws -> StepUpChallenge {
        StepUpChallenge(
            id: "chg_1", appID: try appID(challengeApp), userID: "usr_1", sessionID: challengeSession, scope: "pay",
            terms: GrantTerms(mode: mode, grantedFor: grantedFor), steps: [], createdAt: now - 20, tokenID: "chl_1",
            expiresAt: now + expires, completedAt: completed.map { now + $0 }, redeemedAt: isRedeemed ? now - 1 : nil)
    }

    func decide() throws -> RedemptionDecision {
        let reference = ChallengeReference(
            id: "chg_1", tokenID: tokenID, sessionID: tokenSession, userID: tokenUser, expiresAt: now + 1,
            proofThumbprint: nil)
        return RedeemChallenge(reference: reference, grantID: "grt_1", now: now).decide(
            challenge: hasChallenge ? try challenge() : nil, session: try TestApp.session(), accessTokenLifetime: 300,
            isRepeat: isRepeat)
    }
}

@Suite("Redeeming a challenge, as a table")
struct RedeemChallengeTableTests {
    private static let rows: [Row] = [
        Row("a completed challenge grants, counted from completion", .grant(until: now + 50)),
        Row("a completed challenge grants when a lost answer is repeated", .grant(until: now + 50)) {
            $0.isRepeat = true
        },
        Row("a single-use grant without a duration ends with its one access token", .grant(until: now + 300)) {
            $0.mode = .singleUse
            $0.grantedFor = 0
        },
        Row(
            "a single-use grant ends with its one access token, even if its duration is longer",
            .grant(until: now + 300)
        ) {
            $0.mode = .singleUse
            $0.grantedFor = 3600
        },
        Row("a single-use grant may end before its access token", .grant(until: now + 50)) { $0.mode = .singleUse },
        Row("a session-bound grant may last longer than an access token", .grant(until: now + 3590)) {
            $0.grantedFor = 3600
        },
        Row("a grant that lasts one more second is granted", .grant(until: now + 1)) { $0.grantedFor = 11 },

        Row("a second redemption is rejected (S3)", .refuse(.challengeReused)) { $0.isRedeemed = true },
        Row("a repeat of the refresh that redeemed it is accepted (S3)", .before) {
            $0.isRedeemed = true
            $0.isRepeat = true
        },
        Row("a repeat is accepted even if the challenge expired", .before) {
            $0.isRedeemed = true
            $0.isRepeat = true
            $0.expires = -1
        },
        Row("a token of another session (S3)", .refuse(.challengeMismatch)) { $0.tokenSession = "ses_2" },
        Row("a token of another user (S3)", .refuse(.challengeMismatch)) { $0.tokenUser = "usr_2" },
        Row("a token of another session, even in a repeat (S3)", .refuse(.challengeMismatch)) {
            $0.tokenSession = "ses_2"
            $0.isRedeemed = true
            $0.isRepeat = true
        },
        Row("no such challenge", .refuse(.invalidChallenge)) { $0.hasChallenge = false },
        Row("a challenge of another session", .refuse(.invalidChallenge)) { $0.challengeSession = "ses_2" },
        Row("a challenge of another app", .refuse(.invalidChallenge)) { $0.challengeApp = "domain2" },
        Row("the token of an earlier step (O13)", .refuse(.challengeReused)) { $0.tokenID = "chl_0" },
        Row("the token of an earlier step, even in a repeat (O13)", .refuse(.challengeReused)) {
            $0.tokenID = "chl_0"
            $0.isRedeemed = true
            $0.isRepeat = true
        },
        Row("an expired challenge", .refuse(.expiredChallenge)) { $0.expires = 0 },
        Row("a challenge with an open step (S1)", .refuse(.stepNotCompleted)) { $0.completed = nil },
        Row("an expired challenge with an open step (S1)", .refuse(.expiredChallenge)) {
            $0.completed = nil
            $0.expires = 0
        },
        Row("a grant that ends before it begins", .refuse(.expiredChallenge)) { $0.grantedFor = 10 },
    ]

    @Test("A redemption gets the decision of its row", arguments: rows)
    private func decision(row: Row) throws {
        switch (try row.decide(), row.verdict) {
        case (.redeemedBefore, .before): break
        case (.refuse(let refusal), .refuse(let expected)): #expect(refusal == expected)
        case (.grant(let grant, let challenge, redeemed: let redeemed), .grant(let end)):
            #expect(
                grant
                    == Grant(
                        id: "grt_1", appID: try appID(), userID: "usr_1", sessionID: "ses_1", scope: "pay",
                        mode: row.mode, generation: 5, expiresAt: end))
            var expected = try row.challenge()
            #expect(challenge == expected)
            expected.redeemedAt = now
            #expect(redeemed == expected)
        case (let decision, let verdict): Issue.record("\(decision) instead of \(verdict)")
        }
    }
}
