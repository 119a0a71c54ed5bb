/// The counters that a call spends, and who pays for it.
package struct CallBudget: Sendable, Equatable {
    /// What a call does.
    package enum Use: Sendable, Equatable {
        /// Starts a verification and sends its first code.
        case start
        /// Sends another code of a running verification.
        case resend
        /// Checks a code. It was sent to its identifier, so its network paid for the message.
        case check
        /// Checks a password.
        case password
    }

    package let use: Use
    package let limits: OTPLimits
    /// The device that the caller names, if its token is valid. It pays only for its own user.
    package let device: KnownDevice?
    /// The networks of the caller; none for one without limits by address. Only strangers and former devices spend these.
    package let networks: [CountedNetwork]
    package let now: Timestamp

    package init(
        _ use: Use, limits: OTPLimits, device: KnownDevice?, networks: [CountedNetwork] = [], now: Timestamp
    ) {
        self.use = use
        self.limits = limits
        self.device = device
        self.networks = networks
        self.now = now
    }

    /// - Parameter standing: What `device` is at the identifier, as `Facts.deviceStanding` says.
    package func owner(of identifier: CanonicalIdentifier, device standing: KnownDevice.Standing) -> BudgetOwner {
        device?.owner(of: identifier, as: standing) ?? .anonymous(identifier)
    }

    /// The counters of a call for an identifier. They do not depend on whether a user has it.
    package func counters(
        for identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [FactQuery.CounterSelector] {
        let owner = owner(of: identifier, device: standing)
        switch use {
        case .start:
            return [counter(.starts(owner), limits.starts)] + sends(of: owner, to: identifier)
                + messages(paying: standing)
        case .resend: return sends(of: owner, to: identifier) + messages(paying: standing)
        case .check, .password: return failures(of: owner)
        }
    }

    /// All counters that a store reads for a call: those of `counters`, those of failed checks by network, and the share of
    /// new identifiers.
    package func compared(
        for identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [FactQuery.CounterSelector] {
        counters(for: identifier, device: standing)
            + failuresOfNetworks(at: identifier, device: standing).flatMap { [$0.mark, $0.total] }
            + sharesOfNew(identifier, device: standing).flatMap {
                [$0.share, withheld($0.share.key), withheld($0.total)]
            }
    }

    /// The counter whose share of new identifiers is spent; `nil` if a user has the identifier.
    ///
    /// The call is answered as if its code were sent: who spends the share must not learn which numbers have a user.
    package func withholds(_ facts: Facts, for identifier: CanonicalIdentifier) -> ReachedLimit? {
        guard facts.user == nil else { return nil }
        return facts.reached(sharesOfNew(identifier, device: facts.deviceStanding).map(\.share))
    }

    /// The changes that count a message. One that is withheld takes nothing of what all callers share, and one to a user
    /// nothing of the share of new identifiers. All of them count as many rows, so that the time does not show which it is.
    package func counted(_ facts: Facts, for identifier: CanonicalIdentifier, app: AppID) -> [Change] {
        let isWithheld = withholds(facts, for: identifier) != nil
        let shares = sharesOfNew(identifier, device: facts.deviceStanding)
        let totals = Set(shares.map(\.total))
        let counters = counters(for: identifier, device: facts.deviceStanding).map { own in
            isWithheld && totals.contains(own.key) ? withheld(own.key) : own
        }
        let counted = shares.map { facts.user == nil && !isWithheld ? $0.share : withheld($0.share.key) }
        return (counters + counted).map { $0.counted(app: app) }
    }

    private func sharesOfNew(
        _ identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [(total: CounterKey, share: FactQuery.CounterSelector)] {
        guard use == .start || use == .resend, owner(of: identifier, device: standing).isAnonymous else { return [] }
        return shared(to: identifier, .strangers).map(shareOfNew)
    }

    /// Three fifths of a total, of which strangers have four.
    private func shareOfNew(_ selector: FactQuery.CounterSelector) -> (
        total: CounterKey, share: FactQuery.CounterSelector
    ) {
        let part = (3 * (selector.limit.refill ?? 0) + 4) / 5
        return (
            selector.key, counter(.shareOfNewIdentifiers(selector.key), .refilling(part, by: part, window: 86_400))
        )
    }

    private func withheld(_ key: CounterKey) -> FactQuery.CounterSelector {
        counter(.withheld(key), RateLimit(limit: .max, window: 86_400))
    }

    /// The counter of a call that is at its limit. An identifier that counts for a network already is not refused because of
    /// the others.
    package func reached(_ facts: Facts, for identifier: CanonicalIdentifier) -> ReachedLimit? {
        let standing = facts.deviceStanding
        let networks = failuresOfNetworks(at: identifier, device: standing)
            .filter { facts.limit(of: $0.mark.key) == nil }.map(\.total)
        return facts.reached(counters(for: identifier, device: standing) + networks)
    }

    /// The changes of a failed check: its identifier counts for the networks of the caller, unless it counts already.
    package func failed(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ facts: Facts, app: AppID
    ) -> [Change] {
        failuresOfNetworks(at: identifier, device: standing)
            .filter { facts.limit(of: $0.mark.key) == nil && facts.limit(of: $0.total.key) == nil }
            .flatMap { [$0.mark.counted(app: app), $0.total.counted(app: app)] }
    }

    /// The changes of a right password: its identifier counts no more for the networks of the caller.
    package func succeeded(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ facts: Facts, app: AppID
    ) -> [Change] {
        failuresOfNetworks(at: identifier, device: standing)
            .filter { facts.limit(of: $0.mark.key) != nil }
            .flatMap { [.endMark($0.mark.key, app: app), .uncount($0.total.key, app: app)] }
    }

    /// The changes of a right code: the messages of its login count no more for the networks of the caller.
    package func answered(_ verification: Verification, device standing: KnownDevice.Standing) -> [Change] {
        networks(paying: standing).flatMap { network in
            (0..<verification.sends).map { _ in
                .uncount(.startsOfNetwork(network.digest), app: verification.appID)
            }
        }
    }

    /// The messages of logins without a right code, for each network of the caller.
    private func messages(paying standing: KnownDevice.Standing) -> [FactQuery.CounterSelector] {
        networks(paying: standing).map {
            counter(.startsOfNetwork($0.digest), limits.startsPerAddress.widened(by: $0.widening))
        }
    }

    private typealias NetworkFailures = (mark: FactQuery.CounterSelector, total: FactQuery.CounterSelector)

    private func failuresOfNetworks(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [NetworkFailures] {
        guard use == .password else { return [] }
        var limit = limits.failuresPerAddress
        // All windows of a network end together, so that no mark outlives the total that has its count.
        limit.window -= Int(now.seconds % Int64(limit.window))
        return networks(paying: standing).map {
            (
                counter(.failing(identifier, network: $0.digest), RateLimit(limit: 1, window: limit.window)),
                counter(.failuresOfNetwork($0.digest), limit.widened(by: $0.widening))
            )
        }
    }

    private func networks(paying standing: KnownDevice.Standing) -> [CountedNetwork] {
        standing == .known ? [] : networks
    }

    /// Failed checks. Two devices or sessions of one user share twice the limit of one.
    package func failures(of owner: BudgetOwner) -> [FactQuery.CounterSelector] {
        var counters = [
            counter(.failures(owner, .hour), limits.failedChecks),
            counter(.failures(owner, .day), RateLimit(limit: limits.failedChecksPerDay, window: 86_400)),
            counter(
                .failures(owner, .streak), .streak(limits.consecutiveFailures, window: OTPLimits.streakWindow)),
        ]
        if let group = owner.group {
            counters.append(
                counter(.failuresOfGroup(group), RateLimit(limit: 2 * limits.failedChecksPerDay, window: 86_400)))
        }
        return counters
    }

    /// - Parameter addsIdentifier: Whether the owner adds the destination to a user.
    package func sends(
        of owner: BudgetOwner, to destination: CanonicalIdentifier, addsIdentifier: Bool = false
    ) -> [FactQuery.CounterSelector] {
        var counters = sends(of: owner)
        if let group = owner.group {
            counters.append(counter(.sendsOfGroup(group), RateLimit(limit: 2 * limits.sendsPerDay, window: 86_400)))
        }
        let totals = shared(to: destination, addsIdentifier || owner.isAnonymous ? .strangers : .all)
        return counters + totals + (addsIdentifier ? totals.map { shareOfNew($0).share } : [])
    }

    /// The counters of a notice to a user. Its number for each user is limited apart from these.
    package func notice(to recipient: CanonicalIdentifier) -> [FactQuery.CounterSelector] {
        shared(to: recipient, .all)
    }

    /// How many fifths of what all messages of an app have together. Devices of users and sessions can spend all of it, and
    /// strangers less. Identifiers that no user has get a counter of three fifths besides. So who sends messages to invented numbers
    /// stops no user, and no stranger stops a device that is known.
    private enum Share: Int {
        case strangers = 4
        case all = 5
    }

    /// What all messages of an app have together.
    private func shared(to destination: CanonicalIdentifier, _ share: Share) -> [FactQuery.CounterSelector] {
        var totals = [(CounterKey.sendsOfApp, limits.appSendsPerDay)]
        if destination.type == .phoneNumber {
            let number = destination.canonical
            totals += [
                (.sendsToCallingCode(CallingCode.of(number)), limits.callingCodeSendsPerDay),
                (.sendsToNumberRange(CallingCode.range(of: number)), limits.numberRangeSendsPerDay),
            ]
        }
        return totals.map { key, total in
            counter(key, .refilling((share.rawValue * total + 4) / 5, by: total, window: 86_400))
        }
    }

    /// The owner's own counters of messages.
    package func sends(of owner: BudgetOwner) -> [FactQuery.CounterSelector] {
        [
            counter(.sends(owner, .hour), RateLimit(limit: limits.sendsPerHour, window: 3600)),
            counter(.sends(owner, .day), RateLimit(limit: limits.sendsPerDay, window: 86_400)),
        ]
    }

    func counter(_ key: CounterKey, _ limit: RateLimit) -> FactQuery.CounterSelector {
        FactQuery.CounterSelector(key, limit: limit, now: now)
    }
}

extension BudgetOwner {
    /// The counters that a success clears.
    ///
    /// Strangers have proven the identifier whose failures are counted, so all of these end. The hour and day of a device or
    /// a session cover all identifiers of the user: a success with one must not give more attempts at another, so only the
    /// streak ends, and so it is for the former devices of a user. A success on a known device also ends the streak of
    /// strangers, but not their hour and day: an owner who signs in often must not give a stranger more attempts.
    package func clearedBySuccess(of identifier: CanonicalIdentifier) -> [CounterKey] {
        let streak = CounterKey.failures(self, .streak)
        switch self {
        case .anonymous: return [.failures(self, .hour), .failures(self, .day), streak]
        case .device: return [streak, .failures(.anonymous(identifier), .streak)]
        case .session, .formerDevices: return [streak]
        }
    }

    /// The changes of a success, after its attempt was counted. A success is not a failure: where it clears nothing, it takes
    /// its own count back.
    ///
    /// - Parameters:
    ///   - counters: What the attempt counted for this payer.
    ///   - clearsFailures: `false` for an identifier that is held or new: it says nothing about the failures of its user.
    package func success(
        of identifier: CanonicalIdentifier, counted counters: [FactQuery.CounterSelector], clearsFailures: Bool,
        app: AppID
    ) -> [Change] {
        let cleared = clearsFailures ? clearedBySuccess(of: identifier) : []
        return cleared.map { .clearCounter($0, app: app) }
            + counters.map(\.key).filter { !cleared.contains($0) }.map { .uncount($0, app: app) }
    }
}

extension FactQuery.CounterSelector {
    /// The change that counts one event.
    package func counted(app: AppID) -> Change { .count(key, app: app, limit: limit, now: now) }
}
