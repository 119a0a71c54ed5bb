internal import SessionDomain
internal import Testing

@Suite("Checking and resending codes, as tables")
struct CodeTableTests {
    private func verification(
        app: String = "domain1", expires: Int = 600, checks: Int = 0, sends: Int = 1, sent: Int = 0,
        isSuppressed: Bool = false, previous: IssuedCode? = nil, age: Int = 0
    ) throws -> Verification {
        Verification(
            tokenHash: "token", appID: try appID(app),
            identifier: try CanonicalIdentifier(type: "email_address", value: "a@example.com"), loginConfigID: "lcfg",
            codeChallenge: nil, isSuppressed: isSuppressed, code: TestApp.code("right", expires: expires),
            previousCode: previous, checks: checks, sends: sends, lastSentAt: now - sent, createdAt: now - age)
    }

    private func check(_ hashes: [String] = ["right"]) throws -> CodeCheck {
        CodeCheck(
            appID: try appID(), codeHashes: hashes, limits: LimitSettings(), now: now,
            events: EventFactory(appID: try appID(), environment: stillEnvironment))
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

    @Test("A missing verification, one that has ended, and one of another app are unknown")
    func unknown() throws {
        #expect(try check().precheck(try verification(expires: -1, age: 3000)) == .stop(.unknown))
        #expect(try check().precheck(try verification(expires: -1, age: 2999)) == .stop(.spent))
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
        let right = try check(hashes).rightCode(of: try verification(isSuppressed: isSuppressed))
        #expect(right == (isRight ? TestApp.code("right", expires: 600) : nil))
    }

    @Test("A new user has the id of the intent and the identifier of the verification")
    func newUser() throws {
        let verification = try verification()
        let intent = CheckCode(
            appID: try appID(), tokenHash: "token", codeHashes: ["right"], limits: LimitSettings(), signUp: true,
            newUserID: "usr_new", now: now, events: EventFactory(appID: try appID(), environment: stillEnvironment))
        let user = intent.newUser(for: verification)
        #expect(user.id == "usr_new")
        #expect(user.identifiers == [verification.identifier])
        #expect(user.status == .active)
    }

    @Test(
        "The newer of two codes is correct, and the older one until its own expiry",
        arguments: [(1, true), (0, false)])
    func twoCodes(expires: Int, isRight: Bool) throws {
        let both = try verification(previous: TestApp.code("old", expires: expires))
        #expect(try check(["right"]).rightCode(of: both) == both.code)
        #expect(try check(["old"]).rightCode(of: both) == (isRight ? both.previousCode : nil))
        #expect(try check(["other"]).rightCode(of: both) == nil)
        let suppressed = try verification(isSuppressed: true, previous: TestApp.code("old"))
        #expect(try check(["old"]).rightCode(of: suppressed) == nil)
    }

    private func resend(_ verification: Verification, in app: String = "domain1") throws -> ResendDecision {
        verification.resend(in: try appID(app), newCode: TestApp.code("new"), limits: LimitSettings(), at: now)
    }

    // Proves: O27
    @Test(
        "While half of its life is left, the same code is sent again, with its checks",
        arguments: [(600, 0), (570, 4), (300, 1)])
    func sameCode(expires: Int, checks: Int) throws {
        var expected = try verification(expires: expires, checks: checks, sends: 4, sent: 30)
        let decision = try resend(expected)
        expected.sends += 1
        expected.lastSentAt = now
        #expect(decision == .send(expected))
    }

    // Proves: O27
    @Test(
        "In the second half of its life a new code is sent, both are valid, and checks count for both together",
        arguments: [(299, 0), (1, 4)])
    func newCode(expires: Int, checks: Int) throws {
        let older = TestApp.code("older", expires: 1)
        var expected = try verification(expires: expires, checks: checks, sent: 31, previous: older)
        let decision = try resend(expected)
        // At most two codes are valid at once.
        expected.previousCode = IssuedCode(hash: "right", seed: nil, expiresAt: now + expires)
        expected.code = TestApp.code("new")
        expected.sends += 1
        expected.lastSentAt = now
        #expect(decision == .send(expected))
    }

    // Proves: O27
    @Test("When no checks are left, the codes are void and a new one has all its checks", arguments: [600, 1])
    func usedUp(expires: Int) throws {
        var expected = try verification(
            expires: expires, checks: 5, sent: 30, previous: TestApp.code("older", expires: 1))
        let decision = try resend(expected)
        expected.code = TestApp.code("new")
        expected.previousCode = nil
        expected.checks = 0
        expected.sends += 1
        expected.lastSentAt = now
        #expect(decision == .send(expected))
    }

    @Test(
        "When its code has expired, a verification sends a new one with all its checks", arguments: [0, -1, -2400],
        [0, 4, 5])
    func expiredCode(expires: Int, checks: Int) throws {
        var expected = try verification(
            expires: expires, checks: checks, sends: 4, sent: 600, previous: TestApp.code("older", expires: -1),
            age: 2999)
        let decision = try resend(expected)
        expected.code = TestApp.code("new")
        expected.previousCode = nil
        expected.checks = 0
        expected.sends = 5
        expected.lastSentAt = now
        #expect(decision == .send(expected))
    }

    @Test("A verification lives for all its codes, for an hour at most, and with its last code")
    func lifetime() throws {
        var limits = LimitSettings()
        #expect(try verification().expiresAt(limits) == now + 3000)
        #expect(try verification(expires: 600, age: 2999).expiresAt(limits) == now + 600)
        limits.sendsPerVerification = 20
        #expect(try verification().expiresAt(limits) == now + 3600)
        limits.sendsPerVerification = 1
        #expect(try verification().expiresAt(limits) == now + 600)
    }

    @Test("A code of an earlier version, which cannot be derived, is replaced and stays valid")
    func underivable() throws {
        var running = try verification(sent: 30)
        running.code = IssuedCode(hash: "random", seed: nil, expiresAt: now + 570)
        guard case .send(let next) = try resend(running) else {
            Issue.record("no code is sent")
            return
        }
        #expect(next.code == TestApp.code("new"))
        #expect(next.previousCode == running.code)
    }

    @Test("The code that was answered stays, no other is accepted, and none is sent again")
    func answered() throws {
        let both = try TestApp.verification(sent: 60, codeChallenge: "pkce")
        var running = both
        running.previousCode = TestApp.code("old")
        let answered = running.answered(with: TestApp.code("old"), at: now)
        #expect(answered.validCodes(at: now + 299).map(\.hash) == ["old"])
        #expect(answered.validCodes(at: now + 300).isEmpty)
        #expect(answered.answered(with: TestApp.code("old"), at: now + 9) == answered)
        #expect(try resend(answered) == .unknown)
    }

    @Test("A request too early waits for the delay, and one too many for the end of the verification")
    func limited() throws {
        #expect(try resend(try verification(sent: 29)) == .limited(until: now + 1))
        #expect(
            try resend(try verification(expires: 77, sends: 5, sent: 99, age: 2000))
                == .limited(until: now + 1000))
    }

    @Test("No code is sent again for a verification that has ended, and for a foreign one")
    func over() throws {
        #expect(try resend(try verification(expires: 0, sent: 60, age: 3000)) == .unknown)
        #expect(try resend(try verification(app: "domain2", sent: 60)) == .unknown)
    }
}
