import Testing

@testable import SessionDomain

@Suite("The messages that all callers of an app have together")
struct SharedMessagesTests {
    private func budget(_ use: CallBudget.Use, _ device: KnownDevice? = nil) -> CallBudget {
        CallBudget(use, limits: LimitSettings(), device: device, networks: [CountedNetwork(digest: "net")], now: now)
    }

    private func facts(_ standing: KnownDevice.Standing = .stranger, _ reached: CounterKey...) -> FoundRows {
        FoundRows {
            $0.deviceStanding = standing
            for key in reached { $0.failures.add(.exhausted(key, until: now + 9)) }
        }
    }

    @Test("Strangers can spend three fifths of the messages of an app, a country and a range, and others four")
    func share() throws {
        var limits = LimitSettings()
        (limits.appSendsPerDay, limits.callingCodeSendsPerDay, limits.numberRangeSendsPerDay) = (100, 1, 10)
        func shared(_ standing: KnownDevice.Standing) throws -> [RateLimit] {
            CallBudget(.resend, limits: limits, device: TestApp.device(), now: now)
                .compared(for: try TestApp.phone(), device: standing)
                .filter { Self.totals.contains($0.key) }.map(\.limit)
        }
        #expect(try shared(.stranger).map(\.limit) == [60, 1, 6])
        #expect(try shared(.former).map(\.limit) == [80, 1, 8])
        #expect(try shared(.known).map(\.limit) == [80, 1, 8])
        for standing in [KnownDevice.Standing.stranger, .known] {
            #expect(try shared(standing).map(\.refill) == [80, 1, 8], "shares of one counter refill alike")
        }
    }

    // Proves: H19
    @Test("What strangers spend of the share does not depend on whether a user has the identifier")
    func shareOfStrangers() throws {
        let (phone, app) = (try TestApp.phone(), try appID())
        let new = facts()
        var known = new
        known.user = try TestApp.user()
        for use in [CallBudget.Use.start, .resend] {
            let counted = budget(use).counted(new, for: phone, app: app)
            #expect(counted == budget(use).counted(known, for: phone, app: app))
            #expect(keysOfSends(counted) == Self.totals)
        }
        #expect(budget(.start).withholds(new, for: phone) == nil && budget(.start).withholds(known, for: phone) == nil)
        #expect(
            keysOfSends(budget(.start, TestApp.device()).counted(facts(.known), for: phone, app: app)) == Self.totals)
    }

    // Proves: H19
    @Test("After the share of strangers, an identifier of a user takes the reserve, and others get no code")
    func reserve() throws {
        let (phone, app, start) = (try TestApp.phone(), try appID(), budget(.start))
        for total in Self.totals {
            let spent = facts(.stranger, total)
            #expect(start.reached(spent, for: phone) == nil, "it is answered as if it were sent")
            #expect(start.withholds(spent, for: phone)?.counter == total)
            #expect(keysOfSends(start.counted(spent, for: phone, app: app)) == Self.totals.map { .withheld($0) })
            var known = spent
            known.user = try TestApp.user()
            #expect(start.withholds(known, for: phone) == nil)
            // Not one of the totals: what is left of these shows in answers.
            #expect(keysOfSends(start.counted(known, for: phone, app: app)) == Self.totals.map { .reserve($0) })
            var empty = facts(.stranger, total, .reserve(total))
            empty.user = known.user
            #expect(start.withholds(empty, for: phone)?.counter == .reserve(total))
            #expect(start.reached(empty, for: phone) == nil, "no answer shows the reserve")
            #expect(
                start.counted(empty, for: phone, app: app) == start.counted(spent, for: phone, app: app))
            let device = budget(.start, TestApp.device())
            #expect(device.reached(facts(.known, total), for: phone)?.counter == total)
            #expect(device.withholds(facts(.known, total), for: phone) == nil)
        }
    }

    // Proves: H19
    @Test(
        "One of ten messages counts in the reserve, chosen at random, as ten",
        arguments: [
            (500, 0.099, 10, true), (500, 0.1, 10, false), (20, 0.24, 1, true), (20, 0.25, 1, false), (5, 0.9, 1, true),
        ])
    func draw(total: Int, draw: Double, limit: Int, isCounted: Bool) throws {
        var limits = LimitSettings()
        limits.numberRangeSendsPerDay = total
        let budget = CallBudget(.start, limits: limits, device: nil, draw: draw, now: now)
        let (phone, range) = (try TestApp.phone(), CounterKey.sendsToNumberRange("+1415"))
        let counter = budget.compared(for: phone, device: .stranger).first { $0.key == .reserve(range) }
        #expect(counter?.limit == .refilling(limit, by: limit, window: 86_400))
        var known = facts(.stranger, range)
        known.user = try TestApp.user()
        let counted = keysOfSends(budget.counted(known, for: phone, app: try appID())).last
        #expect(counted == (isCounted ? .reserve(range) : .withheld(range)))
    }

    @Test("A payer ends with the window that counted its message, and is read as it was written")
    func payers() throws {
        let payer = try #require(budget(.start).payers(device: .stranger).first)
        #expect(payer.until.seconds % 600 == 0 && payer.until > now && payer.until <= now + 600)
        let payers = [payer, Verification.Payer(network: "other", until: now)]
        #expect(Verification.Payer.all(in: Verification.Payer.text(payers)) == payers)
        #expect(Verification.Payer.all(in: "").isEmpty)
    }

    @Test("A total of 0 refuses strangers, too", arguments: [KnownDevice.Standing.stranger, .known])
    func closed(standing: KnownDevice.Standing) throws {
        var limits = LimitSettings()
        limits.callingCodeSendsPerDay = 0
        let (phone, key) = (try TestApp.phone(), CounterKey.sendsToCallingCode("+1"))
        let budget = CallBudget(.start, limits: limits, device: TestApp.device(), now: now)
        #expect(budget.reached(facts(standing, key), for: phone)?.counter == key)
    }

    private static let totals: [CounterKey] = [
        .sendsOfApp, .sendsToCallingCode("+1"), .sendsToNumberRange("+1415"),
    ]

    private func keysOfSends(_ changes: [Change]) -> [CounterKey] {
        changes.compactMap {
            if case .count(let key, _, _, _) = $0, key.text.contains("sends") { key } else { nil }
        }
    }
}
