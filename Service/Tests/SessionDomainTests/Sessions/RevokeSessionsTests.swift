import SessionDomain
import SessionTokens
import Testing

@Suite("Ending sessions")
struct RevokeSessionsTests {
    private func revoke(
        _ selection: SessionSelection, by callerID: String? = nil, user: User? = try? TestApp.user()
    ) throws -> Decision<Int?> {
        RevokeSessions(selection, reason: .logout, by: callerID, in: try TestApp.change(of: "usr_1")).decide(
            try FoundRows { facts in
                facts.user = user
                facts.liveSessions = user == nil ? [] : [try TestApp.session(), try TestApp.session(id: "ses_2")]
            })
    }

    @Test("The selected sessions end, each with its step-ups and its event")
    func selection() throws {
        let (one, two) = (
            try TestApp.revocation(try TestApp.session(), .logout),
            try TestApp.revocation(try TestApp.session(id: "ses_2"), .logout)
        )
        #expect(try revoke(.one("ses_2")) == Decision(1, two))
        #expect(try revoke(.allBut("ses_2")) == Decision(1, [.voidLogins(of: try TestApp.user())] + one))
        #expect(try revoke(.one("ses_3")) == Decision(0))
        #expect(try revoke(.all, user: nil) == Decision(0))
    }

    @Test("Ending all sessions, or all but one, also ends the codes and logins that have begun (X3)")
    func begun() throws {
        let user = try TestApp.user([try TestApp.mail(), try TestApp.phone()])
        let logins: [Change] = [
            .endVerifications(of: try TestApp.mail(), app: user.appID),
            .endVerifications(of: try TestApp.phone(), app: user.appID), .voidLogins(of: user),
        ]
        let all = try revoke(.all, user: user)
        #expect(all.outcome == 2)
        #expect(Array(all.changes.prefix(4)) == [.deleteStepUps(of: user)] + logins)
        #expect(all.changes.count == 4 + 6)
        #expect(Array(try revoke(.allBut("ses_1"), user: user).changes.prefix(3)) == logins)
        #expect(try revoke(.one("ses_1"), user: user).changes.count == 3)
    }

    @Test("If no session ends, an event reports the end of begun logins: of a user's own calls once per hour")
    func voidedLogins() throws {
        func decide(
            _ selection: SessionSelection, by callerID: String? = nil, reports: Bool = true, taken: String? = nil
        ) throws -> [Change] {
            let caller = try callerID.map { [try TestApp.session(id: $0)] } ?? []
            return RevokeSessions(
                selection, reason: .revokedByOperator, by: callerID, reportsVoidedLogins: reports,
                in: try TestApp.change(of: "usr_1")
            ).decide(
                try FoundRows { facts in
                    facts.user = try TestApp.user()
                    facts.liveSessions = caller
                    if let taken { facts.failures.add(.taken(.redemption(taken))) }
                }
            ).changes
        }
        func events(_ changes: [Change]) -> [Event] {
            changes.compactMap { if case .append(let event) = $0 { event } else { nil } }
        }
        let operators = events(try decide(.all))
        #expect(operators.map(\.name.rawValue) == ["user.logins.voided"])
        #expect(operators.first?.data == ["user_id": "usr_1", "reason": "revoked_by_operator"])
        #expect(events(try decide(.all, reports: false)).isEmpty)
        #expect(try decide(.one("ses_1")).isEmpty)
        let own = try decide(.allBut("ses_1"), by: "ses_1")
        #expect(events(own).map(\.name) == [.loginsVoided])
        guard case .redeem(let key, let until, _)? = own.dropLast().last else { return #expect(Bool(false), "\(own)") }
        #expect(until > now && until <= now + 3600)
        #expect(events(try decide(.allBut("ses_1"), by: "ses_1", taken: key)).isEmpty)
        #expect(events(try decide(.all, by: "ses_1")).map(\.name) == [.sessionRevoked])
    }

    // Proves: X14
    @Test(
        "A session that has ended in the meantime ends no other, whatever it selects",
        arguments: [SessionSelection.all, .allBut("ses_1"), .one("ses_1"), .one("ses_3")])
    func endedCaller(selection: SessionSelection) throws {
        let refused = try revoke(selection, by: "ses_3")
        #expect(refused.outcome == nil && refused.changes.isEmpty)
        #expect(try revoke(selection, by: "ses_2").outcome != nil)
    }

    @Test("If the one session that is to stay has ended, no other session ends", arguments: [nil, "ses_2"])
    func endedSpared(callerID: String?) throws {
        let refused = try revoke(.allBut("ses_3"), by: callerID)
        #expect(refused.outcome == nil && refused.changes.isEmpty)
        let another = try revoke(.allBut("ses_1"), user: nil)
        #expect(another.outcome == nil && another.changes.isEmpty)
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
