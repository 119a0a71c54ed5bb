internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Two nodes on one database", .timeLimit(.minutes(1)))
struct TwoNodesRaceTests {
    @Test("Of hundreds of refreshes with one token, one rotates, and all get its successor")
    func sameSession() async throws {
        try await TwoNodes.run { nodes in
            let session = try await nodes.first.signIn(try await nodes.first.addUser())
            let generations = try await nodes.concurrently(200) { world, index -> Int64? in
                switch try await world.rotate(session, proof: world.proof("\(index)")) {
                case .rotated(let next, _, _), .repeated(let next, _, _): next.generation
                default: nil
                }
            }
            #expect(generations == Array(repeating: 1, count: 200))
        }
    }

    @Test("Refreshes of different sessions, in batches with replays, rotate each session once per token")
    func batches() async throws {
        try await TwoNodes.run { nodes in
            let user = try await nodes.first.addUser()
            let sessions = try await nodes.concurrently(40) { world, _ in try await world.signIn(user) }
            let used = nodes.first.proof("used")
            #expect(try await nodes.first.store.perform(ReserveProof(used, app: nodes.first.app, now: nodes.first.now)))
            let outcomes = try await nodes.concurrently(200) { world, index in
                // Every fifth one is a replay, which is refused and must not spoil its batch.
                let proof = index % 5 == 4 ? used : world.proof("\(index)")
                return try await world.rotate(sessions[index % 40], proof: proof)
            }
            let replays = outcomes.count { $0 == .refused(.replayedProof) }
            #expect(replays == 40)
            let stored = try await nodes.concurrently(40) { world, index in
                try await world.store.session(sessions[index].id, app: world.app)?.generation
            }
            #expect(stored.count { $0 == 1 } == 32)
            #expect(stored.count { $0 == 0 } == 8)
        }
    }

    @Test("A limit holds for logins on both nodes")
    func limit() async throws {
        try await TwoNodes.run { nodes in
            let limit = RateLimit(limit: 17, window: 3600)
            let outcomes = try await nodes.concurrently(120) { world, _ in
                try await world.failures(of: .count(.sendsOfApp, app: world.app, limit: limit, now: world.now))
            }
            #expect(outcomes.count { $0 == GuardFailures() } == 17)
        }
    }

    @Test("One of many users gets an identifier, and it is a taken one for all others")
    func identifier() async throws {
        try await TwoNodes.run { nodes in
            let users = try await nodes.concurrently(24) { world, index in
                try await world.addUser("u\(index)@example.com")
            }
            let wanted = try nodes.first.mail("wanted@example.com")
            let outcomes = try await nodes.concurrently(24) { world, index in
                try await world.store.perform(AddIdentifier(wanted, in: world.change(of: users[index].id)))
            }
            #expect(outcomes.count { $0 == .taken } == 23)
            let owner = try #require(try await nodes.first.store.user(with: wanted, app: nodes.first.app))
            #expect(owner.identifiers.count == 2)
        }
    }

    @Test("Of users with the same identifiers in another order, one is created")
    func create() async throws {
        try await TwoNodes.run { nodes in
            let both = [try nodes.first.mail("a@example.com"), try nodes.first.mail("b@example.com")]
            let outcomes = try await nodes.concurrently(16) { world, index in
                let user = User(
                    id: world.environment.newID("usr"), appID: world.app, status: .active, externalID: nil,
                    identifiers: index < 8 ? both : both.reversed(), hasPassword: false, createdAt: world.now)
                return try await world.store.perform(CreateUser(user, passwordHash: nil, events: []))
            }
            #expect(outcomes.count { $0 == .created } == 1)
            #expect(outcomes.count { [.identifierTaken(0), .identifierTaken(1)].contains($0) } == 15)
        }
    }

    @Test("Logins stay below the maximum of sessions, whoever else signs in")
    func sessions() async throws {
        try await TwoNodes.run { nodes in
            let user = try await nodes.first.addUser()
            _ = try await nodes.concurrently(60) { world, _ in
                try await world.store.perform(world.start(world.newSession(of: user), maximum: 5))
            }
            let live = try await nodes.first.store.sessions(
                of: user.id, app: nodes.first.app, now: nodes.first.now + 1, limit: 100, offset: 0)
            #expect(live.total == 5)
        }
    }

    @Test("No login that begins before a suspension leaves a live session after it", arguments: 0..<4)
    func suspension(round: Int) async throws {
        try await TwoNodes.run { nodes in
            let user = try await nodes.first.addUser()
            let started = try await nodes.concurrently(40) { world, index -> Session? in
                if index == 10 + round {
                    _ = try await world.store.perform(SetUserStatus(.suspended, in: world.change(of: user.id)))
                    return nil
                }
                let session = world.newSession(of: user)
                return try await world.store.perform(world.start(session)) == .started(user) ? session : nil
            }
            for session in started.compactMap(\.self) { #expect(try await !nodes.first.isLive(session)) }
        }
    }

    @Test("Whatever else happens to a user, its deletion leaves nothing, and nobody gets an error")
    func deletion() async throws {
        try await TwoNodes.run { nodes in
            let user = try await nodes.first.addUser(passwordHash: "hash")
            let sessions = try await nodes.concurrently(8) { world, _ in try await world.signIn(user) }
            _ = try await nodes.concurrently(160) { world, index in
                let (session, change) = (sessions[index % 8], world.change(of: user.id))
                switch index {
                case 100: _ = try await world.store.perform(DeleteUser(user.id, app: world.app, events: []))
                case _ where index % 5 == 0: _ = try await world.rotate(session, proof: world.proof("\(index)"))
                case _ where index % 5 == 1: _ = try await world.store.perform(world.start(world.newSession(of: user)))
                case _ where index % 5 == 2:
                    _ = try await world.store.perform(SetPassword(hash: "new", ending: nil, in: change))
                case _ where index % 5 == 3:
                    _ = try await world.store.perform(
                        AddIdentifier(try world.mail("x\(index)@example.com"), in: change))
                default: _ = try await world.store.perform(ClearLimits(in: change))
                }
            }
            let connection = try TestServer.connect(to: nodes.url)
            for table in ["users", "sessions", "identifiers", "grants", "challenges"] {
                #expect(try connection.one("SELECT count(*) FROM \(table)") as Int == 0, "\(table)")
            }
        }
    }

    @Test("A challenge is redeemed once on both nodes")
    func redemption() async throws {
        try await TwoNodes.run { nodes in
            let user = try await nodes.first.addUser()
            let outcomes = try await nodes.concurrently(60) { world, _ in
                try await world.store.perform(world.start(world.newSession(of: user), challenge: "same"))
            }
            #expect(outcomes.count { $0 == .started(user) } == 1)
            #expect(outcomes.count { $0 == .challengeReused } == 59)
        }
    }

    @Test("A verification counts each wrong code that is tried on both nodes")
    func codes() async throws {
        try await TwoNodes.run { nodes in
            let connection = try TestServer.connect(to: nodes.url)
            let now = nodes.first.now
            try await nodes.first.write(
                .insertVerification(
                    Verification(
                        tokenHash: "token", appID: nodes.first.app, identifier: try nodes.first.mail("ada@example.com"),
                        loginConfigID: "lcfg", codeChallenge: nil,
                        code: nodes.first.code("right", of: "token", expiresAt: now + 600), lastSentAt: now,
                        createdAt: now)))
            _ = try await nodes.concurrently(40) { world, _ in
                try await world.store.perform(Miss())
            }
            #expect(try connection.one("SELECT checks FROM verifications") as Int == 40)
        }
    }
}

/// Counts one check of a code.
private struct Miss: Intent {
    var reads: Read<Verification?> { Read(app: AppID("contra1"), .verification(tokenHash: "token")) }

    func decide(_ verification: Verification?) -> Decision<Void> {
        guard let verification else { return Decision(()) }
        var next = verification
        next.checks += 1
        return Decision((), [.replaceVerification(verification, with: next)])
    }
}
