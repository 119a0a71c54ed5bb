internal import SessionDomain
internal import SessionTokens
internal import Synchronization
internal import Testing

/// The guards of changes, and what a store does when one fails.
enum GuardRules {
    static let all: [ContractRule] = [
        ContractRule("An insert of a taken key fails, and the facts of the next attempt name the key") {
            world async throws in
            let app = try await world.addApp()
            let ada = try await world.addUser(externalID: "ext")
            let bob = try await world.addUser("bob@example.com")
            let (proof, key) = (world.proof("a"), managementKey(world))
            try await world.write(
                .reserveProof(proof, app: world.app, now: world.now), .insertManagementKey(key),
                .redeem("once", until: world.now + 60, app: world.app))
            var (second, renamed) = (ada, bob)
            second = User(id: "usr_2", appID: world.app, externalID: "ext", identifiers: [], createdAt: world.now)
            renamed.externalID = "ext"
            let rows: [(Change, UniqueKey)] = [
                (.reserveProof(proof, app: world.app, now: world.now), .proof(proof.replayKey)),
                (.redeem("once", until: world.now + 60, app: world.app), .redemption("once")),
                (.insertUser(second, passwordHash: nil), .externalID("ext")),
                (.replaceUser(bob, with: renamed), .externalID("ext")),
                (.insertIdentifier(ada.identifiers[0], of: bob), .identifier(ada.identifiers[0])),
                (.insertApp(app), .app(app.id)), (.insertManagementKey(key), .managementKey(hash: key.hash)),
            ]
            for (change, key) in rows {
                #expect(try await world.failures(of: change) == GuardFailures(.taken(key)))
            }
            #expect(try await world.store.user(bob.id, app: world.app) == bob)
        },
        ContractRule("The same key in another app is another key") { world async throws in
            let (ada, proof) = (try await world.addUser(externalID: "ext"), world.proof("a"))
            try await world.write(
                .reserveProof(proof, app: world.app, now: world.now),
                .redeem("once", until: world.now + 60, app: world.app))
            let other = User(
                id: ada.id, appID: world.otherApp, externalID: "ext", identifiers: [], createdAt: world.now)
            let failures = try await world.failures(
                of: .reserveProof(proof, app: world.otherApp, now: world.now),
                .redeem("once", until: world.now + 60, app: world.otherApp), .insertUser(other, passwordHash: nil),
                .insertIdentifier(ada.identifiers[0], of: other))
            #expect(failures == GuardFailures())
        },
        ContractRule("A counter at its limit fails, and the facts of the next attempt contain the time it ends") {
            world async throws in
            let key = CounterKey.stepUps(userID: "usr_1")
            func count(after seconds: Int, limit: Int = 2) async throws -> GuardFailures {
                try await world.failures(
                    of: .count(
                        key, app: world.app, limit: RateLimit(limit: limit, window: 60), now: world.now + seconds))
            }
            for second in [0, 30] { #expect(try await count(after: second) == GuardFailures()) }
            let exhausted = GuardFailures(.exhausted(key, until: world.now + 60))
            #expect(try await count(after: 59) == exhausted)
            #expect(try await count(after: 59, limit: 3) == GuardFailures())
            #expect(try await count(after: 60) == GuardFailures())
            try await world.write(.clearCounter(key, app: world.app))
            #expect(try await count(after: 61, limit: 1) == GuardFailures())
            // Taking the only event back ends its window, and never makes the count negative.
            for app in [world.app, world.app, world.otherApp] { try await world.write(.uncount(key, app: app)) }
            #expect(try await count(after: 62) == GuardFailures())
            #expect(try await count(after: 63) == GuardFailures())
            #expect(try await count(after: 64) == GuardFailures(.exhausted(key, until: world.now + 122)))
            try await world.write(.uncount(key, app: world.app))
            #expect(try await count(after: 64) == GuardFailures())
        },
        ContractRule("Several changes of one counter in a commit count in their order") { world async throws in
            let (app, now) = (world.app, world.now)
            let key = CounterKey.starts(.device(id: "dev_1", userID: "usr_1"))
            func count(_ limit: Int = 100) -> Change {
                .count(key, app: app, limit: RateLimit(limit: limit, window: 60), now: now)
            }
            func isAt(_ value: Int) async throws -> Bool {
                let full = GuardFailures(.exhausted(key, until: now + 60))
                let isLess = try await world.failures(of: count(value), .uncount(key, app: app)) == GuardFailures()
                let isMore = try await world.failures(of: count(value + 1), .uncount(key, app: app)) == full
                return !isLess && !isMore
            }
            try await world.write(count(), count(), count())
            #expect(try await isAt(3))
            try await world.write(count(), .uncount(key, app: app), .uncount(key, app: app))
            #expect(try await isAt(2))
            try await world.write(count(), .clearCounter(key, app: app), count())
            #expect(try await isAt(1))
            try await world.write(.clearCounter(key, app: app), count(), count())
            #expect(try await isAt(2))
            try await world.write(
                count(), .clearCounters(prefixes: CounterKey.prefixes(ofUser: "usr_1"), app: app), count())
            #expect(try await isAt(1))
            try await world.write(count(), .clearCounter(key, app: app))
            #expect(try await world.failures(of: count(1)) == GuardFailures())
        },
        ContractRule("A row that is not as it was read is neither replaced nor deleted") { world async throws in
            let rows = try await StoredRows(world)
            for change in try rows.staleChanges() {
                await #expect(throws: StoreError.contended, "\(change)") { try await world.write(change) }
            }
            try await rows.expectUnchanged()
        },
        ContractRule("A row that is as it was read is replaced, and deleted") { world async throws in
            let rows = try await StoredRows(world)
            for change in rows.replacements + rows.deletions { try await world.write(change) }
        },
        ContractRule("A failing guard undoes the changes before it") { world async throws in
            let user = try await world.addUser()
            let event = world.events().userCreated(user)
            var renamed = user
            renamed.profile = ["a": "b"]
            await #expect(throws: StoreError.contended) {
                try await world.write(
                    .append(event), .replaceUser(user, with: renamed), .voidLogins(of: user),
                    .deleteGrant(world.grant("pay", .singleUse, to: world.newSession(of: user))))
            }
            #expect(try await world.happened() == [])
            #expect(try await world.store.user(user.id, app: world.app) == user)
        },
        ContractRule("An intent is decided again after each failed guard, a bounded number of times") {
            world async throws in
            let user = try await world.addUser()
            let missing = world.grant("pay", .singleUse, to: world.newSession(of: user))
            let intent = CountingIntent(app: world.app) { _ in [.deleteGrant(missing)] }
            await #expect(throws: StoreError.contended) { try await world.store.perform(intent) }
            // A store may need one more: SQLite has made the first one in a transaction that could not undo it alone.
            #expect([0, 1].contains(intent.attempts - GuardFailures.maximumAttempts))
            let once = CountingIntent(app: world.app) { attempt in attempt == 1 ? [.deleteGrant(missing)] : [] }
            try await world.store.perform(once)
            #expect(once.attempts == 2)
        },
        ContractRule("An unwritten decision checks its guards and leaves the rows as they are") { world async throws in
            let intent = UnwrittenProof(proof: world.proof("a"), app: world.app, now: world.now)
            for _ in 0..<2 { #expect(try await world.store.perform(intent) == "not taken") }
            #expect(try await world.store.perform(ReserveProof(intent.proof, app: world.app, now: world.now)))
            #expect(try await world.store.perform(intent) == "taken")
        },
        ContractRule("Intents whose guards fail do not disturb the others of the same commit") { world async throws in
            let user = try await world.addUser()
            let missing = world.grant("pay", .singleUse, to: world.newSession(of: user))
            let succeeded = try await concurrently(64) { index in
                let proof = Change.reserveProof(world.proof("\(index)"), app: world.app, now: world.now)
                guard index.isMultiple(of: 2) else {
                    try await world.write(proof)
                    return true
                }
                do {
                    try await world.write(proof, .deleteGrant(missing))
                    return true
                } catch let error as StoreError where error == .contended {
                    return false
                }
            }
            #expect(succeeded.filter { $0 }.count == 32)
            for index in 0..<64 {
                let isNew = try await world.store.perform(
                    ReserveProof(world.proof("\(index)"), app: world.app, now: world.now))
                #expect(isNew == index.isMultiple(of: 2))
            }
        },
        ContractRule("The counters of a user are the named ones and those of all its devices, in its app only") {
            world async throws in
            try await world.addApp()
            let limit = RateLimit(limit: 9, window: 60)
            let (device, stranger) = (
                BudgetOwner.device(id: "d", userID: "usr_1"), BudgetOwner.device(id: "d", userID: "usr_2")
            )
            let counted: [CounterKey] = [.stepUps(userID: "usr_1"), .sendsOfApp, .starts(device), .starts(stranger)]
            for key in counted + [.starts(device)] {
                try await world.write(.count(key, app: world.app, limit: limit, now: world.now))
            }
            func counters(_ keys: [CounterKey], app: AppID) async throws -> [StoredCounter] {
                try await world.store.counters(keys, ofUser: "usr_1", app: app).sorted { $0.key < $1.key }
            }
            let ends = world.now + 60
            let expected = [
                StoredCounter(key: "otp-start/device/usr_1/d", counter: RateCounter(count: 2, resetsAt: ends)),
                StoredCounter(key: "step-up/usr_1", counter: RateCounter(count: 1, resetsAt: ends)),
            ]
            let keys: [CounterKey] = [.stepUps(userID: "usr_1"), .stepUps(userID: "usr_3")]
            #expect(try await counters(keys, app: world.app) == expected)
            #expect(try await counters([], app: world.app) == [expected[0]])
            #expect(try await counters(keys, app: world.otherApp).isEmpty)
        },
    ]

    private static func managementKey(_ world: ContractWorld) -> ManagementKey {
        ManagementKey(id: "mk_1", name: "k", appID: nil, hash: "hash", createdAt: world.now)
    }
}

/// Counts how often it is decided.
private final class CountingIntent: Intent {
    let reads: Read<Void>
    private let count = Mutex(0)
    private let changes: @Sendable (_ attempt: Int) -> [Change]

    init(app: AppID, changes: @escaping @Sendable (_ attempt: Int) -> [Change]) {
        reads = Read(app: app)
        self.changes = changes
    }

    var attempts: Int { count.withLock { $0 } }

    func decide(_: Void) -> Decision<Void> {
        let attempt = count.withLock { count in
            count += 1
            return count
        }
        return Decision((), changes(attempt))
    }
}

/// Checks that a proof could be reserved, without reserving it.
private struct UnwrittenProof: Intent {
    let proof: ProofUse
    let app: AppID
    let now: Timestamp

    var reads: Read<GuardFailures> { Read(app: app, .failures) }

    func decide(_ failures: GuardFailures) -> Decision<String> {
        if failures.isTaken(.proof(proof.replayKey)) { return Decision("taken") }
        return .unwritten("not taken", checking: [.reserveProof(proof, app: app, now: now)])
    }
}
