/// What a stored counter counts. Each counter belongs to one app; identifiers are in canonical form.
package indirect enum CounterKey: Hashable, Sendable {
    /// Verifications that were started.
    case starts(BudgetOwner)
    /// Failed checks of codes and passwords, counted together (O17).
    case failures(BudgetOwner, Span)
    /// Codes that were sent.
    case sends(BudgetOwner, Span)
    /// Failed checks of all devices, or of all sessions, of one user.
    case failuresOfGroup(String)
    /// Codes that were sent for all devices, or all sessions, of one user.
    case sendsOfGroup(String)
    case sendsOfApp
    /// Codes sent to the numbers of one country calling code, such as `+33`.
    case sendsToCallingCode(String)
    /// Codes sent to a range of phone numbers, such as `+33612`.
    case sendsToNumberRange(String)
    /// The part of a total that is kept for strangers with the identifier of a user, while all strangers have spent theirs. It
    /// has a row of its own: what is left of the total must not show which identifiers have a user.
    case reserve(CounterKey)
    /// Codes that were not sent, because these parts were spent.
    case withheld(CounterKey)
    /// Messages of logins that strangers from a network asked for, and whose right code has not come yet.
    case startsOfNetwork(String)
    /// The identifiers at which strangers from a network entered wrong passwords, each counted once.
    case failuresOfNetwork(String)
    /// Whether an identifier counts in `failuresOfNetwork`.
    case failing(CanonicalIdentifier, network: String)
    /// Credentials of an earlier system without a success, from a network.
    case migrationsOfNetwork(String)
    case stepUps(userID: String)
    /// Test messages that operators send by the routes of an app.
    case deliveryTests
    /// Notices of one kind to one user.
    case notices(userID: String, Notice.Kind)
    /// Identifiers for which a limit of a shared counter was reported.
    case reports(LimitName, of: String)

    /// The window of a counter.
    package enum Span: String, Sendable {
        case hour, day
        /// Since the last success.
        case streak
    }

    /// The key of the counter in the store.
    package var text: String {
        switch self {
        case .starts(let owner): "otp-start/\(owner.text)"
        case .failures(let owner, .hour): "otp-failed/\(owner.text)"
        case .failures(let owner, let span): "failed-\(span.rawValue)/\(owner.text)"
        case .sends(let owner, let span): "sent-\(span.rawValue)/\(owner.text)"
        case .failuresOfGroup(let group): "failed-total/\(group)"
        case .sendsOfGroup(let group): "sent-total/\(group)"
        case .sendsOfApp: "sends"
        case .sendsToCallingCode(let prefix), .sendsToNumberRange(let prefix): "sends/\(prefix)"
        case .reserve(let counter): "reserve/\(counter.text)"
        case .withheld(let counter): "withheld/\(counter.text)"
        case .startsOfNetwork(let network): "network-start/\(network)"
        case .failuresOfNetwork(let network): "network-failed/\(network)"
        case .failing(let identifier, let network): "failing/\(identifier.key)/\(network)"
        case .migrationsOfNetwork(let network): "network-migration/\(network)"
        case .stepUps(let userID): "step-up/\(userID)"
        case .deliveryTests: "delivery-test"
        case .notices(let userID, let kind): "notice/\(kind.rawValue)/\(userID)"
        case .reports(_, let counter): "reports/\(counter)"
        }
    }

    /// Whether calls for different users have the counter together.
    var isShared: Bool {
        switch self {
        case .sendsOfApp, .sendsToCallingCode, .sendsToNumberRange, .startsOfNetwork, .failuresOfNetwork,
            .migrationsOfNetwork:
            true
        default: false
        }
    }

    /// All counters of one payer, apart from the total of its group.
    package static func all(of owner: BudgetOwner) -> [CounterKey] {
        [
            .starts(owner), .failures(owner, .hour), .failures(owner, .day), .failures(owner, .streak),
            .sends(owner, .hour), .sends(owner, .day),
        ]
    }

    /// All counters of a network.
    static func all(of network: CountedNetwork) -> [CounterKey] {
        [
            .startsOfNetwork(network.digest), .failuresOfNetwork(network.digest), .migrationsOfNetwork(network.digest),
        ]
    }

    /// The counters that are a user's, apart from those of each device and session.
    static func all(of user: User) -> [CounterKey] {
        let owners = user.identifiers.map { BudgetOwner.anonymous($0) } + [.formerDevices(userID: user.id)]
        let groups = [BudgetOwner.device(id: "", userID: user.id), .session(id: "", userID: user.id)]
        let totals = groups.compactMap(\.group).flatMap { [CounterKey.failuresOfGroup($0), .sendsOfGroup($0)] }
        return owners.flatMap(all) + totals + [.stepUps(userID: user.id)]
    }

    /// What the keys of all counters of a user's devices and sessions begin with.
    package static func prefixes(ofUser userID: String) -> [String] { counters(ofEachOf: userID).map(\.text) }

    /// The counters of a device and of a session without an id.
    private static func counters(ofEachOf userID: String) -> [CounterKey] {
        let owners: [BudgetOwner] = [.device(id: "", userID: userID), .session(id: "", userID: userID)]
        return owners.flatMap(all)
    }

    /// What a key of a user's device or session counts. `nil` for another key.
    static func owned(byUser userID: String, _ text: String) -> CounterKey? {
        counters(ofEachOf: userID).first { text.hasPrefix($0.text) }
    }

    /// The totals that a message to a destination spends.
    static func totals(to destination: CanonicalIdentifier) -> [CounterKey] {
        guard destination.type == .phoneNumber else { return [.sendsOfApp] }
        let number = destination.canonical
        return [
            .sendsOfApp, .sendsToCallingCode(CallingCode.of(number)),
            .sendsToNumberRange(CallingCode.range(of: number)),
        ]
    }

    /// What the keys of all marks `failing` of an identifier begin with.
    package static func prefixOfMarks(at identifier: CanonicalIdentifier) -> String {
        failing(identifier, network: "").text
    }
}
