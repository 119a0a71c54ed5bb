internal import GRDB
internal import SessionDomain
internal import Synchronization
internal import Testing

@testable internal import SessionSQL
@testable internal import SessionSQLite

@Suite("SQL statements of the hot path")
struct HotPathTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    /// The first words of each statement, in order.
    private final class Trace: Sendable {
        private let statements = Mutex<[String]>([])

        func add(_ sql: String) {
            // A column that is a query of its own.
            let words = sql.replacing(/EXISTS \([^)]*\)/, with: "").split(whereSeparator: \.isWhitespace)
            let name = words.first == "SELECT" ? words.drop { $0 != "FROM" }.prefix(2) : words.prefix(3)
            statements.withLock { $0.append(name.joined(separator: " ")) }
        }

        func take() -> [String] {
            statements.withLock { statements in
                defer { statements = [] }
                return statements
            }
        }
    }

    private let store: SQLiteStore
    private let trace = Trace()
    private let app: AppID
    private let events: EventFactory

    init() throws {
        store = try SQLiteStore.open(.memory)
        app = try #require(AppID("hotpath"))
        let random = Mutex<UInt8>(0)
        events = EventFactory(
            appID: app,
            environment: ServiceEnvironment(
                now: { Self.now },
                randomBytes: { count in
                    let value = random.withLock { value in
                        value += 1
                        return value
                    }
                    return Array(repeating: value, count: count)
                }, sleep: { _ in }))
    }

    /// A session that is in the store.
    private func signIn() async throws -> Session {
        let user = User(
            id: "usr_1", appID: app,
            identifiers: [try CanonicalIdentifier(type: "email_address", value: "a@example.com")],
            createdAt: Self.now)
        #expect(try await store.perform(CreateUser(user, passwordHash: nil, events: [])) == .created)
        let session = Session(
            id: "ses_1", appID: app, userID: user.id, keyThumbprint: "key", device: Device(), createdAt: Self.now,
            idleExpiresAt: Self.now + SessionPolicy().idleLifetime, absoluteExpiresAt: Self.now + 365 * 86_400)
        let outcome = try await store.perform(
            StartSession(
                session: session, challengeID: "chl_1", challengeEpoch: 0, challengeExpiresAt: Self.now + 300,
                proof: nil,
                previousSessionID: nil, maximumSessions: 100, now: Self.now, events: events))
        #expect(outcome == .started(user))
        return session
    }

    private func refresh(_ session: Session, generation: Int64, proof name: String) async throws -> [String] {
        let proof = ProofUse(
            thumbprint: "key", replayKey: name, rememberUntil: Self.now + 180, nonce: nil,
            windowStart: Self.now - 100, isFresh: true, issuedAt: Self.now, attempt: "attempt \(name)")
        _ = try await store.perform(
            RotateRefreshToken(
                appID: app, sessionID: session.id, generation: generation, proof: proof, device: Device(),
                policy: SessionPolicy(), now: Self.now, events: events))
        return trace.take()
    }

    private func startTracing() async throws {
        let trace = trace
        try await store.database.writeWithoutTransaction { db in
            db.trace { if case .statement(let statement) = $0 { trace.add(statement.sql) } }
        }
        _ = trace.take()
    }

    @Test("A refresh is four reads and two writes in one transaction")
    func refresh() async throws {
        let session = try await signIn()
        _ = try await refresh(session, generation: 0, proof: "a")
        try await startTracing()
        let statements = try await refresh(session, generation: 1, proof: "b")
        #expect(
            statements == [
                "BEGIN IMMEDIATE TRANSACTION", "FROM sessions", "FROM identifiers", "FROM grants",
                "INSERT INTO proofs", "UPDATE sessions SET", "COMMIT TRANSACTION",
            ])
    }

    @Test("A replayed proof costs a second attempt, and a transaction that was without savepoints")
    func replay() async throws {
        let session = try await signIn()
        _ = try await refresh(session, generation: 0, proof: "a")
        try await startTracing()
        let statements = try await refresh(session, generation: 1, proof: "a")
        let begin = ["BEGIN IMMEDIATE TRANSACTION"]
        let reads = ["FROM sessions", "FROM identifiers", "FROM grants"]
        let check = reads + ["INSERT INTO proofs"]
        #expect(
            statements == begin + check + ["ROLLBACK TRANSACTION"] + begin
                + ["SAVEPOINT job"] + check + ["ROLLBACK TO job"] + reads + ["RELEASE job", "COMMIT TRANSACTION"])
    }

    private func attempt(_ address: String, limit: Int, device: KnownDevice? = nil) throws -> BeginPasswordTry {
        var limits = LimitSettings()
        limits.failedChecks = RateLimit(limit: limit, window: 60)
        return BeginPasswordTry(
            appID: app, identifier: try CanonicalIdentifier(type: "email_address", value: address),
            budget: CallBudget(.check, limits: limits, device: device, now: Self.now))
    }

    private static let counters = Array(repeating: "FROM counters", count: 3)

    @Test("The search for an identifier costs the same statements whether a user has it or not")
    func identifiers() async throws {
        _ = try await signIn()
        try await startTracing()
        for address in ["a@example.com", "nobody@example.com"] {
            _ = try await store.perform(try attempt(address, limit: 1))
            let statements = trace.take().filter { $0.hasPrefix("FROM") }
            #expect(
                statements == Self.counters + ["FROM users", "FROM identifiers", "FROM users"])
        }
    }

    // Proves: O28
    @Test("The start of a login costs the same statements whether a code is sent or withheld")
    func starts() async throws {
        _ = try await signIn()
        let bob = User(
            id: "usr_2", appID: app,
            identifiers: [try CanonicalIdentifier(type: "email_address", value: "b@example.com")],
            createdAt: Self.now)
        #expect(try await store.perform(CreateUser(bob, passwordHash: nil, events: [])) == .created)
        try await startTracing()
        var limits = LimitSettings()
        limits.appSendsPerDay = 10
        var seen: [[String]] = []
        // Six of strangers, then one to a user by the reserve and one that is withheld, twice.
        for index in 0..<10 {
            let user = [6: "a@example.com", 8: "b@example.com"][index]
            let address = try CanonicalIdentifier(
                type: "email_address", value: user ?? "nobody\(index)@example.com")
            let signUp = index != 2
            let outcome = try await store.perform(
                StartVerification(
                    appID: app, identifier: address, signUp: signUp,
                    budget: CallBudget(.start, limits: limits, device: nil, draw: 0.5, now: Self.now),
                    draft: MessageDraft(id: "msg_\(index)"), now: Self.now, events: events
                ) { [app] recipient, isSuppressed in
                    Verification(
                        tokenHash: "t\(index)", appID: app, identifier: recipient, loginConfigID: "lcfg",
                        codeChallenge: nil, isSuppressed: isSuppressed,
                        code: IssuedCode(hash: "h", seed: nil, expiresAt: Self.now + 600), lastSentAt: Self.now,
                        createdAt: Self.now)
                })
            guard case .started(let verification, let message) = outcome else {
                Issue.record("the login is limited")
                return
            }
            #expect(verification.isSuppressed != signUp)
            #expect((message.content.withheld == .strangerLimit) == (index > 6 && user == nil))
            seen.append(trace.take())
        }
        // The first call inserts the counters that all logins of the app share, and the others update them.
        #expect(seen[1] == seen[2])
        // The first two beyond the share insert its report and their counters.
        #expect(seen[8] == seen[9], "by the reserve, and withheld")
        let inserts = seen[1].filter { $0.hasPrefix("INSERT INTO") && !$0.hasSuffix("counters") }
        #expect(inserts == ["INSERT INTO verifications", "INSERT INTO messages"])
        #expect(seen[1].filter { $0 == "FROM counters" }.count == 6, "each counter is read once")
    }

    @Test("A right code clears counters that have a row, and writes none that it would clear")
    func rightCode() async throws {
        _ = try await signIn()
        let address = try CanonicalIdentifier(type: "email_address", value: "a@example.com")
        func check(_ code: String) async throws -> [String] {
            let verification = Verification(
                tokenHash: "t", appID: app, identifier: address, loginConfigID: "lcfg", codeChallenge: nil,
                isSuppressed: false, code: IssuedCode(hash: "right", seed: nil, expiresAt: Self.now + 600),
                lastSentAt: Self.now, createdAt: Self.now)
            if try await store.verification(tokenHash: "t", app: app) == nil {
                _ = try await store.perform(
                    StartVerification(
                        appID: app, identifier: address, signUp: true,
                        budget: CallBudget(.start, limits: LimitSettings(), device: nil, now: Self.now),
                        draft: MessageDraft(id: "msg_\(code)"), now: Self.now, events: events
                    ) { _, _ in verification })
            }
            try await startTracing()
            _ = try await store.perform(
                CheckCode(
                    appID: app, tokenHash: "t", codeHashes: [code], limits: LimitSettings(), signUp: true,
                    newUserID: "usr_9", now: Self.now, events: events))
            return trace.take().filter { $0.hasSuffix("counters") || $0.hasPrefix("UPDATE counters") }
        }
        let reads = Array(repeating: "FROM counters", count: 3)
        #expect(try await check("right") == reads)
        #expect(try await check("wrong") == reads + Array(repeating: "INSERT INTO counters", count: 3))
        #expect(try await check("right") == reads + Array(repeating: "DELETE FROM counters", count: 3))
    }

    @Test("A limited password try costs the same statements whether a user has the identifier or not")
    func limited() async throws {
        _ = try await signIn()
        for address in ["a@example.com", "nobody@example.com"] {
            let attempt = try attempt(address, limit: 1)
            _ = try await store.perform(attempt)
            try await startTracing()
            let reached = ReachedLimit(.failures(.anonymous(attempt.identifier), .hour), until: Self.now + 60)
            #expect(try await store.perform(attempt) == .limited(reached))
            #expect(
                trace.take().filter { $0.hasPrefix("FROM") } == Self.counters + [
                    "FROM users", "FROM identifiers", "FROM users",
                ])
        }
    }

    // Proves: O9
    @Test("A known device of another user costs the same statements whether a user has the identifier or not")
    func foreignDevice() async throws {
        _ = try await signIn()
        try await startTracing()
        let device = KnownDevice(userID: "usr_2", id: "dev_1", issuedAt: Self.now, loginEpoch: 0)
        for address in ["a@example.com", "nobody@example.com"] {
            _ = try await store.perform(try attempt(address, limit: 1, device: device))
            let first = trace.take().filter { $0.hasPrefix("FROM") }
            #expect(
                first == ["FROM identifiers"] + Self.counters + ["FROM users", "FROM identifiers", "FROM users"])
            _ = try await store.perform(try attempt(address, limit: 1, device: device))
            #expect(trace.take().filter { $0.hasPrefix("FROM") } == first)
        }
    }
}
