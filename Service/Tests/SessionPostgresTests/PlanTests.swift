internal import SessionDomain
internal import Testing

@testable import SessionPostgres
@testable internal import SessionSQL
@testable import SessionStoreContract

@Suite("Statements of requests use keys, also in large tables")
struct PlanTests {
    private static let app = AppID("contra1")

    /// The statements that read more than they need, with their plans.
    private func wasteful(_ statements: [Statement]) async throws -> [String] {
        let connection = try TestServer.connect(to: await LargeTables.url)
        return try statements.flatMap { statement -> [String] in
            let plan: [String] = try connection.run([Statement("EXPLAIN " + statement.checkedText, statement.values)])[
                0
            ].all {
                try $0.next()
            }
            let isWasteful = plan.contains { $0.contains("Seq Scan on") } || Self.readsApp(plan)
            return isWasteful ? ["\(statement.checkedText)\n\(plan.joined(separator: "\n"))"] : []
        }
    }

    /// An index of which only the first column is used, the app, is read from one end to the other.
    private static func readsApp(_ plan: [String]) -> Bool {
        zip(plan, plan.dropFirst()).contains { scan, line in
            LargeTables.names.contains { scan.contains(" on \($0)") }
                && line.contains("Index Cond: (app_id = ") && !line.contains(" AND ") && !line.contains("ANY")
        }
    }

    private func expectKeys(_ statements: [Statement]) async throws {
        for plan in try await wasteful(statements) { Issue.record(Comment(rawValue: plan)) }
    }

    @Test("The facts of a refresh, of a login and of a step-up")
    func facts() async throws {
        let app = try #require(Self.app)
        let mail = try CanonicalIdentifier(type: "email_address", value: "ada@example.com")
        let now = Timestamp(seconds: 1)
        let device = KnownDevice(userID: "usr_1", id: "d", issuedAt: now, loginEpoch: 0)
        let budget = CallBudget(.check, limits: LimitSettings(), device: device, now: now)
        let queries = [
            FactQuery(app: app) {
                $0.session = .id("ses_1")
                $0.user = .ofSession
                $0.grants = now
                $0.challenge = "chg_1"
                $0.shared = [.user]
            },
            FactQuery(app: app) {
                $0.user = .id("usr_1")
                $0.liveSessions = now
                $0.surplusSessions = .init(now: now, keeping: 99)
            },
            FactQuery(app: app) {
                $0.budget = .init(budget, for: .identifier(mail))
                $0.user = .identifier(mail)
                $0.passwordHash = true
            },
            FactQuery(app: app) {
                $0.verification = .tokenHash("hash")
                $0.budget = .init(budget, for: .ofVerification)
                $0.user = .ofVerification(now: now, maximumChecks: 5)
            },
            FactQuery(app: app) {
                $0.challenge = "chg_1"
                $0.session = .ofChallenge
                $0.user = .ofSession
                $0.verification = .ofChallenge
            },
            FactQuery(app: app) { $0.owners = .init(identifiers: [mail], externalID: "ada") },
            FactQuery(app: app) { $0.unredeemedChallenges = "ses_1" },
        ]
        try await expectKeys(queries.flatMap { FactPlan($0).statements })
    }

    @Test("The changes of requests")
    func changes() async throws {
        try await TestStores.withEmpty { store in
            let world = try ContractWorld(store: store)
            let user = try await world.addUser()
            let session = world.newSession(of: user)
            let mail = user.identifiers[0]
            let limit = RateLimit(limit: 1, window: 60)
            let changes: [Change] = [
                .reserveProof(world.proof("p"), app: world.app, now: world.now),
                .redeem("challenge", until: world.now, app: world.app),
                .count(.sendsOfApp, app: world.app, limit: limit, now: world.now),
                .uncount(.sendsOfApp, app: world.app), .clearCounter(.sendsOfApp, app: world.app),
                .clearCounters(prefixes: CounterKey.prefixes(ofUser: user.id), app: world.app),
                .replaceUser(user, with: user), .deleteUser(user),
                .setPasswordHash("new", replacing: nil, of: user), .voidLogins(of: user),
                .insertIdentifier(mail, of: user), .releaseIdentifiers(of: user), .deleteIdentifier(mail, of: user),
                .endVerifications(of: mail, app: world.app), .replaceSession(session, with: session),
                .deleteStepUps(of: user), .deleteStepUpsOfSession(session),
                .deleteGrant(world.grant("pay", .singleUse, to: session)),
            ]
            try await expectKeys(try changes.flatMap { try $0.statements(at: 0) })
        }
    }

    @Test("No statement of the contract reads a whole table, except those that work for all rows")
    func contract() async throws {
        let connection = try TestServer.connect(to: await LargeTables.url)
        for (number, statement) in try await PartitionedContract.outcome.value.statements.sorted().enumerated() {
            guard let parameters = Self.parameters(of: statement) else { continue }
            let nulls = Array(repeating: "NULL", count: parameters).joined(separator: ", ")
            let plan: [String] = try connection.run([
                Statement("PREPARE plan_\(number) AS \(statement)"),
                Statement("EXPLAIN EXECUTE plan_\(number)\(parameters == 0 ? "" : "(\(nulls))")"),
            ])[1].all { try $0.next() }
            let isWasteful = Self.scans(plan) || (Self.readsApp(plan) && !plan.contains { $0.contains("Limit") })
            if isWasteful != WholeTables.contains(statement) {
                Issue.record("\(statement)\n\(plan.joined(separator: "\n"))")
            }
        }
    }

    private static func scans(_ plan: [String]) -> Bool {
        plan.contains { line in LargeTables.names.contains { line.contains("Seq Scan on \($0)") } }
    }

    /// `nil` for a statement that has no plan.
    private static func parameters(of statement: String) -> Int? {
        let words = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"]
        guard words.contains(where: { statement.hasPrefix($0) }) else { return nil }
        return statement.matches(of: /\$(\d+)/).compactMap { Int($0.1) }.max() ?? 0
    }

    @Test("The events of an actor are read in their index, newest first, with each other filter")
    func eventsOfActor() async throws {
        let connection = try TestServer.connect(to: await LargeTables.url)
        let app = try #require(Self.app)
        let queries = [
            EventQuery(app: app, actor: "usr_3", limit: 26),
            EventQuery(app: app, actor: "usr_3", before: "9", limit: 26),
            EventQuery(
                app: app, actor: "usr_3", from: Timestamp(seconds: 1), until: Timestamp(seconds: 90), limit: 26),
            EventQuery(app: app, actor: "usr_3", name: .family("user"), limit: 500),
        ]
        for query in queries {
            let statement = EventSelection(query).statement
            let plan: [String] = try connection.run([Statement("EXPLAIN " + statement.checkedText, statement.values)])[
                0
            ].all {
                try $0.next()
            }
            #expect(plan.contains { $0.contains("Index Scan Backward using events_by_actor on events") }, "\(plan)")
            #expect(plan.contains { $0.contains("Presorted Key: ") }, "\(plan)")
        }
    }

    @Test("The last event is found in an index")
    func lastEvent() async throws {
        let connection = try TestServer.connect(to: await LargeTables.url)
        let plan: [String] = try connection.run([Statement("EXPLAIN " + SequencedEvent.last)])[0].all {
            try $0.next()
        }
        #expect(plan.filter { $0.contains("Index Only Scan Backward") }.count == 1, "\(plan)")
    }
}

/// The statements that read all rows of a table, or of an app. No request of a user waits for them.
private enum WholeTables {
    static func contains(_ statement: String) -> Bool { beginnings.contains { statement.hasPrefix($0) } }

    private static let beginnings = [
        // The number of users, for pages of the management API.
        "SELECT count(*) FROM users WHERE app_id = $1",
        // A change of an app's scopes ends the step-ups of the others. These tables have rows of some minutes only.
        "DELETE FROM challenges WHERE app_id = $1 AND scope NOT IN",
        "DELETE FROM grants WHERE app_id = $1 AND scope NOT IN",
        // The messages to identifiers that a deleted user had before. A message has a row for a day at most.
        "DELETE FROM messages WHERE app_id = $1 AND position($2 IN content) > 0",
    ]
}
