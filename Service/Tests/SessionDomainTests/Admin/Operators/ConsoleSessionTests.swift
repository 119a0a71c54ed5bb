import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Console sessions")
struct ConsoleSessionTests {
    private let begin = Timestamp(seconds: 1_800_000_000)
    private var session: ConsoleSession { ConsoleSession(id: "id", credential: .key(hash: "hash"), signedInAt: begin) }

    @Test(
        "A session is live for 30 minutes after its last request, and for 12 hours at most",
        arguments: [(0, true), (1799, true), (1800, false), (-300, true), (-301, false)])
    func idle(_ seconds: Int, _ isLive: Bool) {
        #expect(session.isLive(at: begin + seconds) == isLive)
    }

    @Test("A request renews a cookie once a minute, and never beyond the end of the session")
    func renewal() throws {
        #expect(session.renewed(at: begin + 59) == nil)
        let renewed = try #require(session.renewed(at: begin + 60))
        #expect(renewed.isLive(at: begin + 1859) && !renewed.isLive(at: begin + 1860))
        let late = try #require(session.renewed(at: begin + 12 * 3600 - 1))
        #expect(late.endsAt == begin + 12 * 3600)
        #expect(late.formToken == session.formToken && late.endKey == session.endKey)
    }

    @Test("The text of a session is read as it was written, and other texts are no session")
    func text() throws {
        let renewed = try #require(session.renewed(at: begin + 90))
        #expect(ConsoleSession(text: renewed.text) == renewed)
        let account = ConsoleSession(id: "id", credential: .account(session: "ses_1"), signedInAt: begin)
        #expect(ConsoleSession(text: account.confirmed(at: begin + 5).text) == account.confirmed(at: begin + 5))
        let others = [
            "", "a.b.c", "a.b.c.d", "a.key.b.1.2", "a.key.b.1.2.x", "a.key.b.1.2.3.4", "a.other.b.1.2.3",
            "a.key.b.1..3",
        ]
        for text in others { #expect(ConsoleSession(text: text) == nil) }
    }

    // Proves: C13
    @Test(
        "A confirmation permits dangerous actions for ten minutes, and so does the sign-in",
        arguments: [(0, true), (599, true), (600, false), (-300, true), (-301, false)])
    func confirmation(_ seconds: Int, _ isConfirmed: Bool) {
        #expect(session.isConfirmed(at: begin + seconds) == isConfirmed)
        let confirmed = session.confirmed(at: begin + 3600)
        #expect(confirmed.isConfirmed(at: begin + 3600 + seconds) == isConfirmed)
        #expect(confirmed.formToken == session.formToken && confirmed.signedInAt == session.signedInAt)
    }

    @Test("The token of forms is not the id, and differs between sessions")
    func token() {
        let other = ConsoleSession(id: "other", credential: .key(hash: "hash"), signedInAt: begin)
        #expect(session.formToken != other.formToken && session.endKey != other.endKey)
        #expect(!session.formToken.contains(session.id) && session.formToken.count == 43)
    }

    // Proves: C2
    @Test("A sign-out redeems the session until no cookie is valid, and a repeated one writes nothing")
    func end() throws {
        let event = Event(
            id: "evt_1", appID: .service, name: .consoleSignedOut, createdAt: begin, data: [:])
        let intent = EndConsoleSession(session, event: event)
        let end = Change.redeem(session.endKey, until: begin + 13 * 3600, app: .service)
        #expect(intent.decide(FoundRows()).changes == [end, .append(event)])
        let taken = FoundRows { $0.failures = GuardFailures(.taken(.redemption(session.endKey))) }
        #expect(intent.decide(taken).changes.isEmpty)
        let check = CheckConsoleSession(session).decide(FoundRows())
        #expect(check.outcome && !check.isCommitted && check.changes == [end])
        #expect(!CheckConsoleSession(session).decide(taken).outcome)
    }

    @Test("The end of a session is a kind that housekeeping forgets with its row")
    func kind() {
        #expect(!RedemptionKind(key: session.endKey).outlivesItsRow)
    }
}
