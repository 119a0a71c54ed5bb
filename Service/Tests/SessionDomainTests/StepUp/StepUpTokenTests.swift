import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Tokens of a step-up")
struct StepUpTokenTests {
    private func challenge(done: Int = 0) throws -> StepUpChallenge {
        let start = StepUpChallenge(
            starting: "pay", for: try TestApp.session(), terms: GrantTerms(mode: .sessionBound, grantedFor: 60),
            steps: [
                StepUpStep(order: 2, key: "kyc", expirationDuration: 120),
                StepUpStep(order: 1, key: "verify_sms", expirationDuration: 0),
            ], id: "chg_1", tokenID: "chl_0", at: now)
        return (0..<done).reduce(start) { challenge, index in challenge.advanced(tokenID: "chl_\(index + 1)", at: now) }
    }

    @Test("A token contains the completed and the next step, and the id of the stored challenge")
    func claims() throws {
        let app = try TestApp.open()
        let token = try app.issueStepUpChallenge(try challenge(done: 1), now: now)
        let claims = try app.verifyChallenge(token, now: now)
        #expect(claims.challengeID == "chg_1")
        #expect(claims.jti == "chl_1")
        #expect(claims.sub == "usr_1")
        #expect(claims.sid == "ses_1")
        #expect(claims.currentStep == "kyc")
        #expect(claims.grantMode == "session-bound")
        #expect(claims.scopeRequested == "pay")
        #expect(claims.exp == now.seconds + 120)
        #expect(claims.steps?.map(\.key) == ["verify_sms", "kyc"])
        #expect(claims.steps?.map(\.done) == [true, false])
    }

    @Test("The token of a completed challenge is valid for five minutes")
    func completed() throws {
        let app = try TestApp.open()
        let claims = try app.verifyChallenge(
            try app.issueStepUpChallenge(try challenge(done: 2), now: now), now: now)
        #expect(claims.currentStep == ChallengeClaims.completed)
        #expect(claims.exp == now.seconds + 300)
    }

    @Test("A step without a duration lasts ten minutes")
    func defaultDuration() throws {
        #expect(try challenge().expiresAt == now + 600)
        #expect(try challenge().currentStep?.key == "verify_sms")
    }

    @Test("A reference has the claims of the token and the key of the proof")
    func reference() throws {
        let app = try TestApp.open()
        let token = try app.issueStepUpChallenge(try challenge(), now: now)
        let proof = try TestApp.proof(id: "chl_0")
        let expected = ChallengeReference(
            id: "chg_1", tokenID: "chl_0", sessionID: "ses_1", userID: "usr_1", expiresAt: now + 600,
            proofThumbprint: proof.thumbprint)
        #expect(try app.stepUpReference(token, proof: proof, now: now) == expected)
        #expect(try app.stepUpReference(token, proof: nil, now: now).proofThumbprint == nil)
    }

    @Test("A proof for another challenge's token is rejected (S3)")
    func foreignProof() throws {
        let app = try TestApp.open()
        let token = try app.issueStepUpChallenge(try challenge(), now: now)
        let proof = try TestApp.proof(id: "chl_1")
        #expect(throws: Refusal.proofNotOfChallenge) { try app.stepUpReference(token, proof: proof, now: now) }
    }

    @Test("A token is expired at the second of its expiry")
    func expired() throws {
        let app = try TestApp.open()
        let token = try app.issueStepUpChallenge(try challenge(), now: now)
        #expect(throws: Never.self) { try app.stepUpReference(token, proof: nil, now: now + 599) }
        #expect(throws: Refusal.expiredChallenge) { try app.stepUpReference(token, proof: nil, now: now + 600) }
    }

    @Test("A token that a client changed is invalid (S5)", arguments: 0..<3)
    func forged(part: Int) throws {
        let app = try TestApp.open()
        var parts = try app.issueStepUpChallenge(try challenge(), now: now).split(separator: ".").map(Array.init)
        let middle = parts[part].count / 2
        parts[part][middle] = parts[part][middle] == "A" ? "B" : "A"
        let forged = parts.map { String($0) }.joined(separator: ".")
        #expect(throws: Refusal.invalidChallenge) { try app.stepUpReference(forged, proof: nil, now: now) }
    }

    @Test("Any other token is rejected: none, a login's, an access token, one of another key or app")
    func others() throws {
        let app = try TestApp.open()
        #expect(throws: Refusal.missingChallenge) { try app.stepUpReference("", proof: nil, now: now) }
        let claims = try app.verifyChallenge(
            try app.issueStepUpChallenge(try challenge(), now: now), now: now)
        var foreign = claims
        foreign.aud = "domain2/challenge"
        var withoutSession = claims
        withoutSession.sid = nil
        let tokens = [
            try app.issueLoginChallenge(for: try TestApp.user(), environment: stillEnvironment),
            try JWT.sign(claims, type: TokenType.accessToken, key: app.challengeKey),
            try JWT.sign(claims, type: TokenType.challenge, key: app.accessKey),
            try JWT.sign(claims, type: TokenType.challenge, key: SigningKey.generate(.edDSA)),
            try JWT.sign(foreign, type: TokenType.challenge, key: app.challengeKey),
            try JWT.sign(withoutSession, type: TokenType.challenge, key: app.challengeKey),
        ]
        for token in tokens {
            #expect(throws: Refusal.invalidChallenge) { try app.stepUpReference(token, proof: nil, now: now) }
        }
    }
}
