import SessionDomain
import Testing

@Suite("Ending sessions")
struct RevokeSessionsTests {
    private func revoke(_ selection: SessionSelection, user: User? = try? TestApp.user()) throws -> Decision<Int> {
        RevokeSessions(selection, reason: .logout, in: try TestApp.change(of: "usr_1")).decide(
            try Facts { facts in
                facts.user = user
                facts.liveSessions = user == nil ? [] : [try TestApp.session(), try TestApp.session(id: "ses_2")]
            })
    }

    @Test("The selected sessions end, each with its event")
    func selection() throws {
        let (one, two) = (
            try TestApp.revocation(try TestApp.session(), .logout),
            try TestApp.revocation(try TestApp.session(id: "ses_2"), .logout)
        )
        #expect(try revoke(.one("ses_2")) == Decision(1, two))
        #expect(try revoke(.allBut("ses_2")) == Decision(1, one))
        #expect(try revoke(.one("ses_3")) == Decision(0))
        #expect(try revoke(.all, user: nil) == Decision(0))
    }

    @Test("Ending all sessions also voids the logins that have begun")
    func all() throws {
        let decision = try revoke(.all)
        #expect(decision.outcome == 2)
        #expect(decision.changes.first == .voidLogins(of: try TestApp.user(), before: now))
        #expect(decision.changes.count == 5)
    }

    @Test("A session is kept for 30 days after its revocation or its expiry, whichever comes first")
    func retention() throws {
        let month = 30 * 86_400
        #expect(try TestApp.session().keptUntil == now + 10_000 + month)
        #expect(try TestApp.session(revokedAt: now - 5).keptUntil == now - 5 + month)
        #expect(try TestApp.session(revokedAt: now + 20_000).keptUntil == now + 10_000 + month)
        #expect(Retention.eventDays * 86_400 == month)
    }
}
