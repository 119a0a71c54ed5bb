internal import SessionDomain
internal import SessionTokens
internal import Testing

/// One session over several nonce windows of 300 seconds, without a store.
@Suite("When a late request is told from a second holder")
struct SecondHolderTests {
    /// Calls with the key of one session. Each has a nonce of the current window.
    private struct Calls {
        var session: Session
        let user: User
        let app: AppID

        init() throws {
            app = try appID()
            session = Session(
                id: "ses_1", appID: app, userID: "usr_1", keyThumbprint: "key", device: Device(), createdAt: now,
                idleExpiresAt: now + 86_400, absoluteExpiresAt: now + 86_400)
            user = User(id: "usr_1", appID: app, identifiers: [], createdAt: now)
        }

        /// - Parameters:
        ///   - seconds: Since the login, which is the start of a nonce window.
        ///   - nonce: The second in which the nonce was received; `nil` is now.
        mutating func refresh(
            _ generation: Int64, attempt: String, after seconds: Int, nonce: Int? = nil
        ) throws -> RotationVerdict {
            let time = now + seconds
            let isCurrent = (nonce ?? seconds) / 300 == seconds / 300
            let proof = ProofUse(
                thumbprint: "key", replayKey: "\(attempt) \(seconds)", rememberUntil: time + 1000,
                nonce: isCurrent ? .current : .previous, windowStart: now + seconds / 300 * 300, isFresh: true,
                issuedAt: time, attempt: attempt)
            let decision = RotateRefreshToken(
                appID: app, sessionID: "ses_1", generation: generation, proof: proof, device: Device(),
                policy: SessionPolicy(), now: time, events: EventFactory(appID: app, environment: stillEnvironment)
            ).decide(session: session, user: user, isReplay: false)
            switch decision {
            case .rotate(let next), .recover(let next, _), .repeatSuccessor(let next), .demandNonce(let next),
                .revoke(let next, _, _):
                session = next
            case .refuse: break
            }
            return RotationVerdict(decision)
        }
    }

    // Proves: X8
    @Test("A holder who rotates at the start of every nonce window cannot put off the alarm")
    func activeThief() throws {
        var calls = try Calls()
        for generation: Int64 in 0..<3 {
            let verdict = try calls.refresh(generation, attempt: "thief \(generation)", after: 1)
            #expect(verdict == .rotate)
        }
        #expect(try calls.refresh(0, attempt: "owner", after: 2) == .nonce)
        #expect(try calls.refresh(3, attempt: "thief 3", after: 301) == .rotate)
        #expect(try calls.refresh(0, attempt: "owner", after: 302) == .reuse(.olderToken))
    }

    @Test("A holder who rotates once in every nonce window is found at once or in the next window")
    func patientThief() throws {
        var calls = try Calls()
        #expect(try calls.refresh(0, attempt: "thief 0", after: 1) == .rotate)
        #expect(try calls.refresh(1, attempt: "thief 1", after: 301) == .rotate)
        #expect(try calls.refresh(0, attempt: "owner", after: 302) == .nonce)
        #expect(try calls.refresh(2, attempt: "thief 2", after: 601) == .rotate)
        #expect(try calls.refresh(0, attempt: "owner", after: 602) == .reuse(.olderToken))
    }

    // Proves: X9
    @Test("A request that arrives after more than eight rotations in one nonce window revokes nothing")
    func manyRotations() throws {
        var calls = try Calls()
        for generation: Int64 in 0..<12 {
            #expect(try calls.refresh(generation, attempt: "\(generation) device", after: 1) == .rotate)
        }
        #expect(try calls.refresh(0, attempt: "0 device", after: 2) == .nonce)
        #expect(try calls.refresh(12, attempt: "12 device", after: 301) == .rotate)
        #expect(try calls.refresh(1, attempt: "1 device", after: 302, nonce: 2) == .nonce)
        #expect(try calls.refresh(13, attempt: "13 device", after: 303) == .rotate)
    }

    // Proves: X9
    @Test("A request that arrives before and after the database is set back revokes nothing")
    func setBack() throws {
        var calls = try Calls()
        let backup = calls.session
        #expect(try calls.refresh(0, attempt: "0 device", after: 1) == .rotate)
        #expect(try calls.refresh(1, attempt: "1 device", after: 2) == .rotate)
        calls.session = backup
        #expect(try calls.refresh(2, attempt: "2 device", after: 3) == .recover)
        #expect(try calls.refresh(1, attempt: "1 device", after: 4, nonce: 2) == .nonce)
        #expect(try calls.refresh(3, attempt: "3 device", after: 301) == .rotate)
        #expect(try calls.refresh(0, attempt: "0 device", after: 302, nonce: 1) == .nonce)
        #expect(try calls.refresh(4, attempt: "4 device", after: 303) == .rotate)
    }
}
