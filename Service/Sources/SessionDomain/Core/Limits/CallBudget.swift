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
    package let limits: LimitSettings
    /// The device that the caller names, if its token is valid. It pays only for its own user.
    package let device: KnownDevice?
    /// The networks of the caller; none for one without limits by address. Only strangers and former devices spend these.
    package let networks: [CountedNetwork]
    /// A random number from 0 up to 1. It decides whether a message that takes the reserve counts there.
    package let draw: Double
    package let now: Timestamp

    package init(
        _ use: Use, limits: LimitSettings, device: KnownDevice?, networks: [CountedNetwork] = [], draw: Double = 0,
        now: Timestamp
    ) {
        self.use = use
        self.limits = limits
        self.device = device
        self.networks = networks
        self.draw = draw
        self.now = now
    }

    /// - Parameter standing: What `device` is at the identifier, as `Fact.budget` says.
    package func owner(of identifier: CanonicalIdentifier, device standing: KnownDevice.Standing) -> BudgetOwner {
        device?.owner(of: identifier, as: standing) ?? .anonymous(identifier)
    }

    /// The counters that a call for an identifier spends. They do not depend on whether a user has it.
    ///
    /// A message of a stranger spends one counter of each total besides: `counted` says which.
    package func counters(
        for identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [FactQuery.CounterSelector] {
        let owner = owner(of: identifier, device: standing)
        let totals = owner.isAnonymous ? [] : totals(to: identifier, ofStrangers: false)
        switch use {
        case .start:
            return counters([.starts(owner)]) + sendsWithGroup(of: owner) + totals
                + messages(paying: standing)
        case .resend: return sendsWithGroup(of: owner) + totals + messages(paying: standing)
        case .check, .password: return failures(of: owner)
        }
    }

    /// All counters that a store reads for a call.
    package func compared(
        for identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [FactQuery.CounterSelector] {
        counters(for: identifier, device: standing)
            + failuresOfNetworks(at: identifier, device: standing).flatMap { [$0.mark, $0.total] }
            + totalsOfStranger(at: identifier, device: standing).flatMap { [$0.share, $0.reserve, $0.withheld] }
    }

    /// The counter by which the message of a stranger is not sent; `nil` if it is sent. The call is answered as if it were.
    ///
    /// While the share of strangers lasts, a message spends the same counters whether or not a user has the identifier.
    /// Afterwards it spends the reserve or nothing, and no answer shows the reserve.
    ///
    /// - Parameter hasUser: Whether a user has the identifier.
    package func withholds(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, hasUser: Bool,
        _ failures: GuardFailures
    ) -> ReachedLimit? {
        let share = spentShare(at: identifier, device: standing, failures)
        guard share != nil, hasUser else { return share }
        return failures.reached(totalsOfStranger(at: identifier, device: standing).map(\.reserve))
    }

    /// The total whose share of strangers is spent, if the caller is one.
    private func spentShare(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ failures: GuardFailures
    ) -> ReachedLimit? {
        failures.reached(totalsOfStranger(at: identifier, device: standing).map(\.share))
    }

    /// The changes that count a message. They are as many rows whether it is sent, by the reserve or not, or withheld, so that
    /// the time does not show it.
    package func counted(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, hasUser: Bool,
        _ failures: GuardFailures,
        app: AppID
    ) -> [Change] {
        let isSpent = spentShare(at: identifier, device: standing, failures) != nil
        let isWithheld = withholds(at: identifier, device: standing, hasUser: hasUser, failures) != nil
        let totals = totalsOfStranger(at: identifier, device: standing).map { total in
            isWithheld ? total.withheld : isSpent ? (total.isSampled ? total.reserve : total.withheld) : total.share
        }
        return (counters(for: identifier, device: standing) + totals).map { $0.counted(app: app) }
    }

    /// The counter of a call that is at its limit. An identifier that counts for a network already is not refused because of
    /// the others. With a total of 0 the app sends no messages, so strangers are refused, too.
    package func reached(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ failures: GuardFailures
    ) -> ReachedLimit? {
        let networks = failuresOfNetworks(at: identifier, device: standing)
            .filter { failures.limit(of: $0.mark.key) == nil }.map(\.total)
        let closed = totalsOfStranger(at: identifier, device: standing).map(\.share).filter { $0.limit.limit == 0 }
        return failures.reached(counters(for: identifier, device: standing) + networks + closed)
    }

    /// The changes that report a spent share of strangers, once an hour. They are the same whether or not a user has the
    /// identifier.
    package func reportsOfShare(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ failures: GuardFailures,
        _ events: EventFactory?
    ) -> [Change] {
        guard let events, let share = spentShare(at: identifier, device: standing, failures),
            !failures.isTaken(.redemption(share.reportKey))
        else { return [] }
        return events.loginLimited(share, LoginMethod(codeTo: identifier.type), of: LoginSubject(identifier), failures)
    }

    /// The changes of a failed check: its identifier counts for the networks of the caller, unless it counts already.
    package func failed(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ failures: GuardFailures, app: AppID
    ) -> [Change] {
        failuresOfNetworks(at: identifier, device: standing)
            .filter { failures.limit(of: $0.mark.key) == nil && failures.limit(of: $0.total.key) == nil }
            .flatMap { [$0.mark.counted(app: app), $0.total.counted(app: app)] }
    }

    /// The changes of a right password: its identifier counts no more for the networks of the caller.
    package func succeeded(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing, _ failures: GuardFailures, app: AppID
    ) -> [Change] {
        failuresOfNetworks(at: identifier, device: standing)
            .filter { failures.limit(of: $0.mark.key) != nil }
            .flatMap { [.endMark($0.mark.key, app: app), .uncount($0.total.key, app: app)] }
    }

    /// The networks that pay for a message of a login.
    package func payers(device standing: KnownDevice.Standing) -> [Verification.Payer] {
        let until = now + alignedWindow(limits.startsPerAddress.window)
        return networks(paying: standing).map { Verification.Payer(network: $0.digest, until: until) }
    }

    /// Seconds until the window of a network ends. All windows of one length end together, so that a mark or a payer knows
    /// which window counted it.
    private func alignedWindow(_ window: Int) -> Int { window - Int(now.seconds % Int64(window)) }

    /// The messages of logins without a right code, for each network of the caller.
    private func messages(paying standing: KnownDevice.Standing) -> [FactQuery.CounterSelector] {
        var limit = limits.startsPerAddress
        limit.window = alignedWindow(limit.window)
        return networks(paying: standing).map {
            counter(.startsOfNetwork($0.digest), limit.widened(by: $0.widening))
        }
    }

    private typealias NetworkFailures = (mark: FactQuery.CounterSelector, total: FactQuery.CounterSelector)

    private func failuresOfNetworks(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [NetworkFailures] {
        guard use == .password else { return [] }
        var limit = limits.failuresPerAddress
        limit.window = alignedWindow(limit.window)
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

    /// Failed checks.
    package func failures(of owner: BudgetOwner) -> [FactQuery.CounterSelector] {
        let group = owner.group.map { CounterKey.failuresOfGroup($0) }
        let own: [CounterKey] = [.failures(owner, .hour), .failures(owner, .day), .failures(owner, .streak)]
        return counters(own + (group.map { [$0] } ?? []))
    }

    /// The counters of a message of a step.
    ///
    /// - Parameter addsIdentifier: Whether the owner adds the destination to a user.
    package func sends(
        of owner: BudgetOwner, to destination: CanonicalIdentifier, addsIdentifier: Bool = false
    ) -> [FactQuery.CounterSelector] {
        sendsWithGroup(of: owner) + totals(to: destination, ofStrangers: addsIdentifier)
    }

    /// The counters of a notice to a user. Its number for each user is limited apart from these.
    package func notice(to recipient: CanonicalIdentifier) -> [FactQuery.CounterSelector] {
        totals(to: recipient, ofStrangers: false)
    }

    private func sendsWithGroup(of owner: BudgetOwner) -> [FactQuery.CounterSelector] {
        sends(of: owner) + counters(owner.group.map { [.sendsOfGroup($0)] } ?? [])
    }

    /// What all messages of an app have together, in fifths. Strangers can spend three of them, whether or not a user has the
    /// identifier; devices of users and sessions four. The last one is the reserve, for strangers with the identifier of a
    /// user. So who sends messages to invented numbers stops no user on a new device, and no device that is known.
    private func totals(
        to destination: CanonicalIdentifier, ofStrangers: Bool
    ) -> [FactQuery.CounterSelector] {
        keysOfTotals(to: destination).map { key, total in
            let all = total - total / 5
            let limit = ofStrangers ? min((3 * total + 4) / 5, all) : all
            return counter(key, .refilling(limit, by: all, window: 86_400))
        }
    }

    /// The counters of one total. The message of a stranger spends one of them.
    private struct StrangersTotal {
        let share: FactQuery.CounterSelector
        let reserve: FactQuery.CounterSelector
        /// Whether the message counts in the reserve.
        let isSampled: Bool
        /// Counts what no other counter has, so that each message costs as many writes.
        let withheld: FactQuery.CounterSelector
    }

    /// One of ten messages that take the reserve counts there, chosen at random, as ten. If each counted, a caller who takes the
    /// last ones with own users would see whether another identifier took one, and so whether a user has it.
    private func totalsOfStranger(
        at identifier: CanonicalIdentifier, device standing: KnownDevice.Standing
    ) -> [StrangersTotal] {
        guard use == .start || use == .resend, owner(of: identifier, device: standing).isAnonymous else { return [] }
        return zip(keysOfTotals(to: identifier), totals(to: identifier, ofStrangers: true)).map { total, share in
            let part = total.total / 5
            let weight = max(1, min(10, part))
            let limit = part / weight
            return StrangersTotal(
                share: share,
                reserve: counter(.reserve(total.key), .refilling(limit, by: limit, window: 86_400)),
                isSampled: draw * Double(weight) < 1,
                withheld: counter(.withheld(total.key), RateLimit(limit: .max, window: 86_400)))
        }
    }

    private func keysOfTotals(to destination: CanonicalIdentifier) -> [(key: CounterKey, total: Int)] {
        CounterKey.totals(to: destination).compactMap { key in limits.perDay(of: key).map { (key, $0) } }
    }

    /// The owner's own counters of messages.
    package func sends(of owner: BudgetOwner) -> [FactQuery.CounterSelector] {
        counters([.sends(owner, .hour), .sends(owner, .day)])
    }

    /// Selectors of counters whose limit does not depend on the caller.
    private func counters(_ keys: [CounterKey]) -> [FactQuery.CounterSelector] {
        keys.compactMap { key in limits.rate(of: key).map { counter(key, $0) } }
    }

    func counter(_ key: CounterKey, _ limit: RateLimit) -> FactQuery.CounterSelector {
        FactQuery.CounterSelector(key, limit: limit, now: now)
    }
}

extension FactQuery.CounterSelector {
    /// The change that counts one event.
    package func counted(app: AppID) -> Change { .count(key, app: app, limit: limit, now: now) }

    /// The selector with a limit that is larger by a number of events.
    func raised(by events: Int) -> Self {
        var limit = limit
        limit.limit += events
        return Self(key, limit: limit, now: now)
    }
}

/// Who pays for a call at a code, a password or a message. Owners never share a counter, so a stranger who spends one
/// budget leaves the others as they are.
package enum BudgetOwner: Hashable, Sendable {
    /// A caller that is not known. All of them together have one budget for each identifier.
    case anonymous(CanonicalIdentifier)
    /// A device on which the owner of the identifier has signed in before.
    case device(id: String, userID: String)
    /// The devices of a user that a later change has ended, such as signing out all others. All of them together have one
    /// budget of the size that strangers have: the owner's device can still sign in while strangers have spent theirs, and
    /// a stolen device gets no more attempts than one stranger.
    case formerDevices(userID: String)
    /// A signed-in session.
    case session(id: String, userID: String)

    /// The name of the owner in the keys of counters.
    var text: String {
        switch self {
        case .anonymous(let identifier): identifier.key
        case .device(let id, let userID): "device/\(userID)/\(id)"
        case .formerDevices(let userID): "former-devices/\(userID)"
        case .session(let id, let userID): "session/\(userID)/\(id)"
        }
    }

    /// All devices, or all sessions, of the same user. They have a total, so that a user who owns many of them has no
    /// more attempts.
    var group: String? {
        switch self {
        case .anonymous, .formerDevices: nil
        case .device(_, let userID): "devices/\(userID)"
        case .session(_, let userID): "sessions/\(userID)"
        }
    }

    /// Who pays for a step: the session, and for an identifier that the step adds also the strangers' budget of it, because
    /// many accounts could ask for codes to one number.
    static func owners(of challenge: StepUpChallenge, user: User?) -> [BudgetOwner] {
        let session = BudgetOwner.session(id: challenge.sessionID, userID: challenge.userID)
        guard let added = challenge.identifierOfStep, user?.identifiers.contains(added) != true else {
            return [session]
        }
        return [session, .anonymous(added)]
    }

    var isAnonymous: Bool { if case .anonymous = self { true } else { false } }
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
