import Testing

@testable import SessionDomain

@Suite("Who pays for a call, and with which counters")
struct CallBudgetTests {
    private static let uses: [CallBudget.Use] = [
        .start, .resend, .check, .password,
    ]

    private func keys(
        _ use: CallBudget.Use, of identifier: CanonicalIdentifier, _ standing: KnownDevice.Standing
    ) -> Set<CounterKey> {
        let budget = CallBudget(use, limits: LimitSettings(), device: TestApp.device(), now: now)
        return Set(budget.counters(for: identifier, device: standing).map(\.key))
    }

    private static let shared: Set<CounterKey> = [
        .sendsOfApp, .sendsToCallingCode("+1"), .sendsToNumberRange("+1415"),
    ]

    // Proves: X5
    @Test(
        "A stranger, a known device, a former one and a session share no counter but those of the whole app",
        arguments: uses)
    func separate(use: CallBudget.Use) throws {
        let phone = try TestApp.phone()
        let stranger = keys(use, of: phone, .stranger)
        let device = keys(use, of: phone, .known)
        let former = keys(use, of: phone, .former)
        #expect(stranger.intersection(device).isSubset(of: Self.shared))
        #expect(former.intersection(stranger.union(device)).isSubset(of: Self.shared))
        let session = BudgetOwner.session(id: "ses_1", userID: "usr_1")
        let budget = CallBudget(use, limits: LimitSettings(), device: nil, now: now)
        let step = Set((budget.failures(of: session) + budget.sends(of: session, to: phone)).map(\.key))
        #expect(step.intersection(stranger.union(device).union(former)).isSubset(of: Self.shared))
    }

    // Proves: O21
    @Test("All former devices of a user have one budget, of the size that strangers have (X5)", arguments: uses)
    func former(use: CallBudget.Use) throws {
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        func counters(_ device: KnownDevice?, at identifier: CanonicalIdentifier) -> [FactQuery.CounterSelector] {
            CallBudget(use, limits: LimitSettings(), device: device, now: now)
                .counters(for: identifier, device: device == nil ? .stranger : .former)
                .filter { !Self.shared.contains($0.key) }
        }
        let first = counters(TestApp.device(), at: mail)
        #expect(counters(TestApp.device(id: "dev_2", epoch: 3), at: mail) == first)
        #expect(counters(TestApp.device(), at: phone) == first)
        #expect(first.map(\.limit) == counters(nil, at: mail).map(\.limit))
        #expect(counters(TestApp.device(of: "usr_2"), at: mail).allSatisfy { !first.map(\.key).contains($0.key) })
    }

    @Test("Failed checks are limited per hour, per day and in a row")
    func failures() throws {
        let mail = try TestApp.mail()
        let budget = CallBudget(.check, limits: LimitSettings(), device: nil, now: now)
        let counters = budget.counters(for: mail, device: .stranger)
        #expect(counters.map(\.limit.limit) == [10, 20, 99])
        #expect(counters.map(\.limit.window) == [3600, 86_400, 30 * 86_400])
        #expect(counters.map(\.limit.isStreak) == [false, false, true])
    }

    @Test("No two counters have the same key in the store")
    func texts() throws {
        let (mail, phone) = (try TestApp.mail(), try TestApp.phone())
        let owners: [BudgetOwner] = [
            .anonymous(mail), .anonymous(phone), .device(id: "x", userID: "usr_1"), .session(id: "x", userID: "usr_1"),
            .formerDevices(userID: "usr_1"), .formerDevices(userID: "usr_1/x"),
        ]
        var all: Set<CounterKey> = [.stepUps(userID: "usr_1")]
        for use in Self.uses {
            let budget = CallBudget(use, limits: LimitSettings(), device: nil, now: now)
            all.formUnion(budget.counters(for: phone, device: .stranger).map(\.key))
            for owner in owners {
                all.formUnion((budget.failures(of: owner) + budget.sends(of: owner, to: mail)).map(\.key))
                all.formUnion([.starts(owner)])
            }
        }
        #expect(Set(all.map(\.text)).count == all.count)
    }

    // Proves: O24
    @Test("A success ends all failures of strangers at its identifier, and only the streak of a device or a session")
    func success() throws {
        let mail = try TestApp.mail()
        let stranger = BudgetOwner.anonymous(mail)
        let all: [CounterKey] = [
            .failures(stranger, .hour), .failures(stranger, .day), .failures(stranger, .streak),
        ]
        #expect(stranger.clearedBySuccess(of: mail) == all)
        let device = TestApp.device().owner(of: mail, as: .known)
        // An owner who signs in often must not give a stranger more attempts.
        #expect(
            device.clearedBySuccess(of: mail) == [.failures(device, .streak), .failures(stranger, .streak)])
        let session = BudgetOwner.session(id: "ses_1", userID: "usr_1")
        #expect(session.clearedBySuccess(of: mail) == [.failures(session, .streak)])
        let former = TestApp.device().owner(of: mail, as: .former)
        #expect(former.clearedBySuccess(of: mail) == [.failures(former, .streak)])
    }

    // Proves: O24
    @Test("No success clears an hour, a day or a total that covers other identifiers (X5)", arguments: uses)
    func otherIdentifiers(use: CallBudget.Use) throws {
        let (mail, phone, app) = (try TestApp.mail(), try TestApp.phone(), try appID())
        let budget = CallBudget(use, limits: LimitSettings(), device: TestApp.device(), now: now)
        for standing in [KnownDevice.Standing.stranger, .former, .known] {
            let owner = budget.owner(of: phone, device: standing)
            let counted = budget.counters(for: phone, device: standing)
            let success = owner.success(of: phone, counted: counted, clearsFailures: true, app: app)
            let other = budget.counters(for: mail, device: standing).map(\.key)
            for key in other {
                if case .failures(_, .streak) = key { continue }
                #expect(!success.contains(.clearCounter(key, app: app)), "\(key)")
            }
            let held = owner.success(of: phone, counted: counted, clearsFailures: false, app: app)
            #expect(held == counted.map { .uncount($0.key, app: app) })
        }
    }

    @Test("The counters of a user's devices and sessions have a prefix, and those of other users have none")
    func prefixes() throws {
        let prefixes = CounterKey.prefixes(ofUser: "usr_1")
        func hasPrefix(_ owner: BudgetOwner) -> [Bool] {
            CounterKey.all(of: owner).map { key in prefixes.contains { key.text.hasPrefix($0) } }
        }
        let own: [BudgetOwner] = [.device(id: "x", userID: "usr_1"), .session(id: "x", userID: "usr_1")]
        let others: [BudgetOwner] = [
            .device(id: "usr_1", userID: "usr_12"), .session(id: "x", userID: "usr_"), .anonymous(try TestApp.mail()),
        ]
        for owner in own { #expect(!hasPrefix(owner).contains(false)) }
        for owner in others { #expect(!hasPrefix(owner).contains(true)) }
    }

    @Test("All counters of a payer but its totals and shared ones are known by name")
    func all() throws {
        let mail = try TestApp.mail()
        for standing in [KnownDevice.Standing.stranger, .former, .known] {
            let owner = TestApp.device().owner(of: mail, as: standing)
            var keys: Set<CounterKey> = []
            for use in Self.uses { keys.formUnion(self.keys(use, of: mail, standing)) }
            keys.subtract([.sendsOfApp])
            if let group = owner.group { keys.subtract([.failuresOfGroup(group), .sendsOfGroup(group)]) }
            #expect(Set(CounterKey.all(of: owner)) == keys)
        }
    }

    // MARK: Networks of strangers

    private static let network = CountedNetwork(digest: "net")

    private func budget(_ use: CallBudget.Use, _ device: KnownDevice? = nil) -> CallBudget {
        CallBudget(use, limits: LimitSettings(), device: device, networks: [Self.network], now: now)
    }

    private func facts(
        _ standing: KnownDevice.Standing = .stranger, _ reached: CounterKey...
    ) -> FoundRows {
        FoundRows {
            $0.deviceStanding = standing
            for key in reached { $0.failures.add(.exhausted(key, until: now + 9)) }
        }
    }

    @Test("Strangers and former devices spend the messages of their network, known devices do not")
    func starts() throws {
        let mail = try TestApp.mail()
        let key = CounterKey.startsOfNetwork("net")
        for standing in [KnownDevice.Standing.stranger, .former] {
            let counters = budget(.start, TestApp.device()).counters(for: mail, device: standing)
            #expect(counters.first { $0.key == key }?.limit == RateLimit(limit: 150, window: 600))
        }
        #expect(!budget(.start, TestApp.device()).counters(for: mail, device: .known).map(\.key).contains(key))
        #expect(budget(.resend).counters(for: mail, device: .stranger).map(\.key).contains(key))
    }

    @Test("A network of IPv6 with many customers has 16 times the limits")
    func site() throws {
        let networks = TestApp.keys.networks(of: SourceAddress(ip: "2001:db8:1:2::3"))
        let budget = CallBudget(.start, limits: LimitSettings(), device: nil, networks: networks, now: now)
        let limits = budget.counters(for: try TestApp.mail(), device: .stranger)
            .filter { if case .startsOfNetwork = $0.key { true } else { false } }.map(\.limit.limit)
        #expect(limits == [150, 2400])
    }

    @Test("A network is named by a keyed digest, and an exempt caller by none")
    func digests() {
        let networks = TestApp.keys.networks(of: SourceAddress(ip: "203.0.113.7"))
        #expect(networks.count == 1 && networks[0].digest.count == 22)
        #expect(networks == TestApp.keys.networks(of: SourceAddress(ip: "::ffff:203.0.113.7")))
        #expect(networks != TestApp.keys.networks(of: SourceAddress(ip: "203.0.113.8")))
        #expect(TestApp.keys.networks(of: SourceAddress(ip: "127.0.0.1", isExempt: true)).isEmpty)
    }

    @Test("A failed check counts its identifier once for the network, and a success ends that count")
    func failing() throws {
        let (mail, app, check) = (try TestApp.mail(), try appID(), budget(.password))
        let (mark, total) = (CounterKey.failing(mail, network: "net"), CounterKey.failuresOfNetwork("net"))
        func keys(_ changes: [Change]) -> [CounterKey] {
            changes.compactMap { if case .count(let key, _, _, _) = $0 { key } else { nil } }
        }
        #expect(keys(check.failed(at: mail, device: .stranger, facts().failures, app: app)) == [mark, total])
        #expect(check.failed(at: mail, device: .stranger, facts(.stranger, mark).failures, app: app).isEmpty)
        #expect(check.failed(at: mail, device: .stranger, facts(.stranger, total).failures, app: app).isEmpty)
        #expect(check.failed(at: mail, device: .known, facts(.known).failures, app: app).isEmpty)
        #expect(check.succeeded(at: mail, device: .stranger, facts().failures, app: app).isEmpty, "it has not failed")
        #expect(
            check.succeeded(at: mail, device: .stranger, facts(.stranger, mark).failures, app: app) == [
                .endMark(mark, app: app), .uncount(total, app: app),
            ])
        #expect(check.succeeded(at: mail, device: .known, facts(.known, mark).failures, app: app).isEmpty)
        #expect(check.payers(device: .stranger).map(\.network) == ["net"] && check.payers(device: .known).isEmpty)
    }

    // Proves: O8
    @Test("A network with many failing identifiers refuses others, and no known device")
    func spent() throws {
        let (mail, check) = (try TestApp.mail(), budget(.password, TestApp.device()))
        let (mark, total) = (CounterKey.failing(mail, network: "net"), CounterKey.failuresOfNetwork("net"))
        #expect(check.reached(facts(.stranger, total), for: mail)?.counter == total)
        #expect(check.reached(facts(.former, total), for: mail)?.counter == total)
        #expect(check.reached(facts(.stranger, total, mark), for: mail) == nil, "it counts already")
        #expect(check.reached(facts(.known, total), for: mail) == nil)
        #expect(check.reached(facts(.stranger, mark), for: mail) == nil)
        #expect(budget(.check).reached(facts(.stranger, total), for: mail) == nil, "a code was sent to its identifier")
    }

    @Test("A mark ends with the total that has its count", arguments: [0, 1, 599])
    func windows(seconds: Int) throws {
        let late = CallBudget(
            .password, limits: LimitSettings(), device: nil, networks: [Self.network],
            now: Timestamp(seconds: 1_800_000_000) + seconds)
        let changes = late.failed(at: try TestApp.mail(), device: .stranger, facts().failures, app: try appID())
        let ends = changes.compactMap { change -> Timestamp? in
            if case .count(_, _, let limit, let now) = change { now + limit.window } else { nil }
        }
        #expect(Set(ends) == [Timestamp(seconds: 1_800_000_600)])
    }
}
