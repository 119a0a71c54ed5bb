internal import SessionDomain
internal import Testing

@Suite("Checking and resending codes, as tables")
struct CodeTableTests {
    private func verification(
        app: String = "domain1", expires: Int = 600, checks: Int = 0, sends: Int = 1, sent: Int = 0,
        isSuppressed: Bool = false
    ) throws -> Verification {
        Verification(
            tokenHash: "token", appID: try appID(app),
            identifier: try CanonicalIdentifier(type: "email_address", value: "a@example.com"), loginConfigID: "lcfg",
            codeChallenge: nil, isSuppressed: isSuppressed, codeHash: "right", codeExpiresAt: now + expires,
            checks: checks, sends: sends, lastSentAt: now - sent, createdAt: now)
    }

    private func check(_ hashes: [String] = ["right"]) throws -> CheckCode {
        CheckCode(
            appID: try appID(), tokenHash: "token", codeHashes: hashes, limits: OTPLimits(), signUp: true,
            newUserID: "usr_new", now: now, events: EventFactory(appID: try appID(), environment: stillEnvironment))
    }

    @Test("A try counts while the code lives and has checks left", arguments: [(600, 0), (1, 4)])
    func counted(expires: Int, checks: Int) throws {
        var expected = try verification(expires: expires, checks: checks)
        let precheck = try check().precheck(expected)
        expected.checks += 1
        #expect(precheck == .count(expected))
    }

    @Test("A dead or used-up code is wrong without counting", arguments: [(0, 0), (-1, 0), (600, 5), (600, 6)])
    func dead(expires: Int, checks: Int) throws {
        #expect(try check().precheck(try verification(expires: expires, checks: checks)) == .stop(.wrong))
    }

    @Test("No verification, and one of another app, are unknown")
    func unknown() throws {
        #expect(try check().precheck(nil) == .stop(.unknown))
        #expect(try check().precheck(try verification(app: "domain2")) == .stop(.unknown))
    }

    @Test(
        "A code is right under any server key, and never when suppressed",
        arguments: [
            (["right"], false, true), (["old", "right"], false, true), (["wrong"], false, false), ([], false, false),
            (["righ"], false, false), (["right"], true, false),
        ])
    func comparison(hashes: [String], isSuppressed: Bool, isRight: Bool) throws {
        #expect(try check(hashes).isRight(try verification(isSuppressed: isSuppressed)) == isRight)
    }

    @Test("Whoever signs up gets the id of the intent and the identifier of the verification")
    func newUser() throws {
        let verification = try verification()
        let user = try check().newUser(for: verification)
        #expect(user.id == "usr_new")
        #expect(user.identifiers == [verification.identifier])
        #expect(user.status == .active)
    }

    private func resend() throws -> ResendCode {
        ResendCode(
            appID: try appID(), tokenHash: "token", limits: OTPLimits(), newCodeHash: "new", now: now)
    }

    @Test("A new code is sent 30 seconds after the last, up to five in all", arguments: [(1, 30), (4, 31)])
    func resent(sends: Int, sent: Int) throws {
        var expected = try verification(expires: 1, checks: 5, sends: sends, sent: sent)
        let decision = try resend().decide(expected)
        expected.codeHash = "new"
        expected.codeExpiresAt = now + 600
        expected.checks = 0
        expected.sends += 1
        expected.lastSentAt = now
        #expect(decision == .send(expected))
    }

    @Test("Too soon waits for the delay; too often waits for the end of the code")
    func limited() throws {
        #expect(try resend().decide(try verification(sent: 29)) == .limited(until: now + 1))
        #expect(try resend().decide(try verification(expires: 77, sends: 5, sent: 99)) == .limited(until: now + 77))
    }

    @Test("Nothing is sent again for what is over or foreign")
    func over() throws {
        #expect(try resend().decide(nil) == .unknown)
        #expect(try resend().decide(try verification(expires: 0, sent: 60)) == .unknown)
        #expect(try resend().decide(try verification(app: "domain2", sent: 60)) == .unknown)
    }
}
