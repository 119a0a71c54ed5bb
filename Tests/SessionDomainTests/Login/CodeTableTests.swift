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

    @Test("An attempt counts while the code is valid and has attempts left", arguments: [(600, 0), (1, 4)])
    func counted(expires: Int, checks: Int) throws {
        var expected = try verification(expires: expires, checks: checks)
        let precheck = try check().precheck(expected)
        expected.checks += 1
        #expect(precheck == .count(expected))
    }

    @Test(
        "For an expired or used-up code a new one is needed, and the attempt is not counted",
        arguments: [(0, 0), (-1, 0), (600, 5), (600, 6)])
    func expired(expires: Int, checks: Int) throws {
        #expect(try check().precheck(try verification(expires: expires, checks: checks)) == .stop(.spent))
    }

    @Test("A missing verification, and one of another app, are unknown")
    func unknown() throws {
        #expect(try check().precheck(nil) == .stop(.unknown))
        #expect(try check().precheck(try verification(app: "domain2")) == .stop(.unknown))
    }

    @Test(
        "A code is correct under any server key, and never if suppressed",
        arguments: [
            (["right"], false, true), (["old", "right"], false, true), (["wrong"], false, false), ([], false, false),
            (["righ"], false, false), (["right"], true, false),
        ])
    func comparison(hashes: [String], isSuppressed: Bool, isRight: Bool) throws {
        #expect(try check(hashes).isRight(try verification(isSuppressed: isSuppressed)) == isRight)
    }

    @Test("A new user has the id of the intent and the identifier of the verification")
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

    @Test("A new code is sent 30 seconds after the last one, up to five in total", arguments: [(1, 30), (4, 31)])
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

    @Test("A request too early waits for the delay, and one too many for the expiry of the code")
    func limited() throws {
        #expect(try resend().decide(try verification(sent: 29)) == .limited(until: now + 1))
        #expect(try resend().decide(try verification(expires: 77, sends: 5, sent: 99)) == .limited(until: now + 77))
    }

    @Test("No code is sent again for an expired or foreign verification")
    func over() throws {
        #expect(try resend().decide(nil) == .unknown)
        #expect(try resend().decide(try verification(expires: 0, sent: 60)) == .unknown)
        #expect(try resend().decide(try verification(app: "domain2", sent: 60)) == .unknown)
    }
}
