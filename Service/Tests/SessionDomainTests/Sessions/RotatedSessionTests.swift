internal import SessionDomain
internal import SessionTokens
internal import Testing

@Suite("The session after a decision on a refresh token")
struct RotatedSessionTests {
    @Test(
        "A session ends at its idle or at its absolute end, whichever is first", arguments: [(5, 10), (10, 5), (5, 5)])
    func end(idle: Int, absolute: Int) throws {
        let session = Session(
            id: "ses_1", appID: try appID(), userID: "usr_1", generation: 1, keyThumbprint: "key", scopes: [],
            device: Device(), createdAt: now, idleExpiresAt: now + idle, absoluteExpiresAt: now + absolute,
            revokedAt: nil)
        #expect(session.expiresAt == now + 5)
        #expect(session.isLive(at: now + 4) && !session.isLive(at: now + 5))
    }

    // Proves: R2
    @Test("A rotation raises the generation by one and keeps key, scopes and absolute end")
    func rotated() throws {
        let row = RotationRow("", .rotate) { $0.attempt = "new attempt" }
        guard case .rotate(let next) = row.decide(app: try appID()) else {
            Issue.record("not rotated")
            return
        }
        #expect(next.generation == 6)
        #expect(next.lastProof == "fresh")
        #expect(
            next.attempts == RotationAttempts(last: "new attempt", earlier: ["last"] + (1...7).map { "before-\($0)" }))
        #expect(next.rotatedAt == now)
        #expect(next.lastSeenAt == now)
        #expect(next.idleExpiresAt == now + SessionPolicy().idleLifetime)
        #expect(next.absoluteExpiresAt == now + 1000)
        #expect(next.keyThumbprint == "key")
        #expect(next.device.model == "new")
    }

    @Test("The generation at the start of the nonce window of the last rotation is kept", arguments: [100, -1])
    func settled(windowBegan: Int) throws {
        let row = RotationRow("", .rotate) {
            $0.windowBegan = windowBegan
            $0.settled = 2
        }
        guard case .rotate(let next) = row.decide(app: try appID()) else {
            Issue.record("not rotated")
            return
        }
        #expect(next.settledGeneration == (windowBegan > 0 ? 2 : 5))
    }

    @Test("A repeat keeps generation, proof and time of the rotation, so that the grace time ends")
    func repeated() throws {
        let row = RotationRow("", .again) {
            $0.generation = 4
            $0.attempt = "last"
            $0.sinceRotation = 7
        }
        guard case .repeatSuccessor(let next) = row.decide(app: try appID()) else {
            Issue.record("not repeated")
            return
        }
        #expect(next.generation == 5)
        #expect(next.lastProof == "last")
        #expect(next.rotatedAt == now - 7)
        #expect(next.lastSeenAt == now)
    }

    @Test("A clock that is behind does not move the end of a session back")
    func clockBehind() throws {
        let row = RotationRow("", .rotate) { $0.sinceLastSeen = -40 * 86_400 }
        guard case .rotate(let next) = row.decide(app: try appID()) else {
            Issue.record("not rotated")
            return
        }
        // The next refresh finds the same time.
        #expect(next.lastSeenAt == now + 40 * 86_400 && next.rotatedAt == now)
        #expect(next.idleExpiresAt == next.lastSeenAt + SessionPolicy().idleLifetime)
    }

    @Test("A recovered session continues one generation after the token, with an event")
    func recovered() throws {
        let row = RotationRow("", .recover) {
            $0.generation = 8
            $0.attempt = "new"
        }
        guard case .recover(let next, let event) = row.decide(app: try appID()) else {
            Issue.record("not recovered")
            return
        }
        #expect(next.generation == 9)
        #expect(next.attempts.last == "new")
        #expect(event.name == .sessionRecovered)
        #expect(event.data["missing_rotations"] == .int(3))
        #expect(event.data["session_id"] == .string("ses_1"))
    }

    @Test("Reuse has events for the reuse and for the end of the session")
    func reuseEvents() throws {
        let row = RotationRow("", .reuse(.olderToken)) {
            $0.generation = 3
            $0.hasNonce = true
            $0.windowBegan = -1
        }
        guard case .revoke(let next, let events, _) = row.decide(app: try appID()) else {
            Issue.record("not revoked")
            return
        }
        #expect(next.revokedAt == now)
        #expect(events.map(\.name) == [.refreshTokenReused, .sessionRevoked])
        #expect(events.first?.data["reason"] == .string("older_token"))
        #expect(events.last?.data["reason"] == .string("refresh_token_reused"))
        #expect(events.allSatisfy { $0.data["session_id"] == .string("ses_1") })
    }
}
