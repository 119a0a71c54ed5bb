import Foundation
import Testing

@testable import PreludeSession

@Suite("The session's state machine")
struct SessionMachineTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func session(_ token: String, expiresIn seconds: Double = 300) -> StoredSession {
        StoredSession(
            refreshToken: "r-" + token, refreshTokenExpiresAt: nil, accessToken: TestToken.access(token),
            accessTokenExpiresAt: now.addingTimeInterval(seconds))
    }

    private func need(_ machine: SessionMachine) -> SessionMachine.Need {
        machine.need(serverTime: now, margin: 30)
    }

    @Test("A session that was not read yet must be read and is never signed out")
    func unread() {
        #expect(need(SessionMachine()) == .read)
    }

    @Test("A token counts as expired from its margin on", arguments: [(31.0, true), (30.0, false), (-1.0, false)])
    func margin(seconds: Double, isFresh: Bool) {
        var machine = SessionMachine()
        machine.signedIn(session("a", expiresIn: seconds))
        let stored = session("a", expiresIn: seconds)
        #expect(need(machine) == (isFresh ? .nothing(stored) : .refresh(stored)))
    }

    @Test(
        "A short-lived token has a margin of a third of its lifetime",
        arguments: [
            (60.0, 20.5, true), (60, 20, false), (12, 4.5, true), (12, 4, false), (300, 31, true), (300, 30, false),
        ])
    func shortLife(lifetime: Double, left: Double, isFresh: Bool) {
        let end = now.addingTimeInterval(left)
        let stored = StoredSession(
            refreshToken: "r", refreshTokenExpiresAt: nil,
            accessToken: TestToken.access("a", issuedAt: end.timeIntervalSince1970 - lifetime - 30),
            accessTokenExpiresAt: end)
        var machine = SessionMachine()
        machine.signedIn(stored)
        #expect(need(machine) == (isFresh ? .nothing(stored) : .refresh(stored)))
    }

    @Test(
        "A token is valid for a requested time, but each token is used for a third of its lifetime",
        arguments: [
            (300.0, 120.0, 120.0, true), (300, 120, 119, false), (300, 600, 200, false), (300, 600, 200.5, true),
            (60, 120, 40, false), (60, 120, 40.5, true), (300, 0, 30, false), (300, 0, 31, true),
        ])
    func requestedLifetime(lifetime: Double, requested: Double, left: Double, isFresh: Bool) {
        let end = now.addingTimeInterval(left)
        let stored = StoredSession(
            refreshToken: "r", refreshTokenExpiresAt: nil,
            accessToken: TestToken.access("a", issuedAt: end.timeIntervalSince1970 - lifetime - 30),
            accessTokenExpiresAt: end)
        var machine = SessionMachine()
        machine.signedIn(stored)
        let need = machine.need(serverTime: now, margin: 30, validFor: requested)
        #expect(need == (isFresh ? .nothing(stored) : .refresh(stored)))
    }

    @Test("A token with an issue time after its expiry has the full margin")
    func absurdLife() {
        let stored = StoredSession(
            refreshToken: "r", refreshTokenExpiresAt: nil,
            accessToken: TestToken.access("a", issuedAt: now.timeIntervalSince1970 + 100),
            accessTokenExpiresAt: now.addingTimeInterval(20))
        var machine = SessionMachine()
        machine.signedIn(stored)
        #expect(need(machine) == .refresh(stored))
    }

    @Test("Logins and logouts raise the fence, refreshes do not")
    func fence() {
        var machine = SessionMachine()
        let start = machine.fence
        machine.signedIn(session("a"))
        #expect(!machine.accepts(start))
        let later = machine.fence
        machine.refreshed(session("b"))
        #expect(machine.accepts(later))
        machine.signedOut()
        #expect(!machine.accepts(later))
        #expect(need(machine) == .signIn)
    }

    @Test("A read that began before a login does not undo it")
    func lateRead() {
        var machine = SessionMachine()
        let start = machine.fence
        machine.signedIn(session("new"))
        machine.wasRead(nil, since: start)
        #expect(machine.session == session("new"))
    }

    // Proves: E3
    @Test("A late 401 invalidates only the token that it was about")
    func lateInvalidation() {
        var machine = SessionMachine()
        machine.signedIn(session("old"))
        machine.refreshed(session("new"))
        machine.invalidate(TestToken.access("old"))
        #expect(need(machine) == .nothing(session("new")))
        machine.invalidate(TestToken.access("new"))
        #expect(need(machine) == .refresh(session("new")))
    }

    @Test(
        "An access token that no call can use counts as expired",
        arguments: ["", "garbage", TestToken.jwt([:]), TestToken.jwt(["sub": .string("")])])
    func unusable(token: String) {
        var stored = session("a")
        stored.accessToken = token
        var machine = SessionMachine()
        machine.wasRead(stored, since: machine.fence)
        #expect(need(machine) == .refresh(stored))
        machine.refreshed(session("b"))
        #expect(need(machine) == .nothing(session("b")))
        machine.refreshed(stored)
        #expect(need(machine) == .refresh(stored))
    }

    @Test("A refresh compares the stored session with the known one, and stops when a login or a logout came since")
    func compare() {
        func stored(_ name: String, session: String) -> StoredSession {
            StoredSession(
                refreshToken: "r-" + name, refreshTokenExpiresAt: nil,
                accessToken: TestToken.access(name, session: session), accessTokenExpiresAt: now)
        }
        let known = stored("a", session: "ses_1")
        let renewed = stored("b", session: "ses_1")
        let other = stored("c", session: "ses_2")
        var machine = SessionMachine()
        machine.signedIn(known)
        let fence = machine.fence
        #expect(machine.compare(stored: known, since: fence) == .same(known))
        #expect(machine.compare(stored: renewed, since: fence) == .replaced(renewed, isOtherSession: false))
        #expect(machine.compare(stored: other, since: fence) == .replaced(other, isOtherSession: true))
        #expect(machine.compare(stored: nil, since: fence) == .deleted)
        for stored in [known, other, nil] {
            #expect(machine.compare(stored: stored, since: fence - 1) == .overtaken)
        }
    }
}
