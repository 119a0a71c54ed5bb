import Foundation
import Testing

@testable import PreludeSession

@Suite("The step-ups of a session")
struct StepUpFlowsTests {
    private let now = Date(timeIntervalSince1970: TestClock.start)
    private let session: StoredSession

    init() {
        session = StoredSession(
            refreshToken: "r", refreshTokenExpiresAt: nil, accessToken: TestToken.access("a"),
            accessTokenExpiresAt: Date(timeIntervalSince1970: TestClock.start + 300))
    }

    private func challenge(
        _ name: String, id: String = "chl_1", step: String = "verify_sms", session: String = "ses_1"
    ) throws -> StepUpChallenge {
        try #require(
            StepUpChallenge(
                token: TestToken.challenge(name, step: step, attempt: id), status: .underReview, scope: "s",
                sessionID: session, endpoint: ClientFixture.name))
    }

    @Test("A completed challenge is open, then dropped by the server or redeemed by a refresh")
    func progress() throws {
        let completed = try challenge("t1", step: "completed")
        let flows = StepUpFlows()
        #expect(flows.progress(of: completed) == .dropped)
        flows.update(completed)
        #expect(flows.progress(of: completed) == .open)
        flows.close(completed)
        #expect(flows.progress(of: completed) == .dropped)
        flows.update(completed)
        flows.redeemed(completed)
        #expect(flows.progress(of: completed) == .redeemed)
    }

    @Test("The same answer to the same challenge returns the completed challenge again")
    func completedAnswer() throws {
        let first = try challenge("t0")
        let completed = try challenge("t1", step: "completed")
        let flows = StepUpFlows()
        flows.update(first)
        flows.update(first, to: completed, by: RedactedString("123456"))
        #expect(flows.completed(by: RedactedString("123456"), of: first) == completed)
        #expect(flows.completed(by: RedactedString("654321"), of: first) == nil)
        #expect(flows.completed(by: RedactedString("123456"), of: completed) == nil)
    }

    @Test("What is stored are the open challenges and those that another client stored for the same session")
    func merged() throws {
        let own = try challenge("t1", id: "chl_1")
        let outdated = try challenge("t0", id: "chl_1")
        let other = try challenge("t2", id: "chl_2")
        let flows = StepUpFlows()
        flows.update(own)
        #expect(flows.merged(with: [outdated, other], session: session, at: now) == [other, own])
        #expect(flows.merged(with: [other], session: nil, at: now) == [])
        let expired = try #require(other.ticket?.expiresAt)
        #expect(flows.merged(with: [other], session: session, at: expired) == [own])
    }

    @Test("A full list drops its oldest challenge")
    func capacity() throws {
        let flows = StepUpFlows()
        for number in 0...StepUpFlows.capacity { flows.update(try challenge("t\(number)", id: "chl_\(number)")) }
        #expect(flows.open.map(\.challengeID) == (1...StepUpFlows.capacity).map { "chl_\($0)" })
    }
}
