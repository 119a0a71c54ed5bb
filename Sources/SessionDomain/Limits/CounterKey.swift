/// What a stored counter counts. Each counter belongs to one app; identifiers are in canonical form.
package enum CounterKey: Hashable, Sendable {
    /// Verifications that were started.
    case starts(BudgetOwner)
    /// Failed checks of codes and passwords, counted together (O17).
    case failures(BudgetOwner, Span)
    /// Password attempts, counted a second time because operators set their limit separately.
    case passwordTries(BudgetOwner)
    /// Codes that were sent.
    case sends(BudgetOwner, Span)
    /// Failed checks of all devices, or of all sessions, of one user.
    case failuresOfGroup(String)
    /// Codes that were sent for all devices, or all sessions, of one user.
    case sendsOfGroup(String)
    case sendsOfApp
    /// Codes sent to the numbers of one country calling code, such as `+33`.
    case sendsToCallingCode(String)
    case stepUps(userID: String)
    /// Test messages that operators send by the routes of an app.
    case deliveryTests
    /// Notices of one kind to one user.
    case notices(userID: String, Notice.Kind)

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
        case .passwordTries(let owner): "password/\(owner.text)"
        case .sends(let owner, let span): "sent-\(span.rawValue)/\(owner.text)"
        case .failuresOfGroup(let group): "failed-total/\(group)"
        case .sendsOfGroup(let group): "sent-total/\(group)"
        case .sendsOfApp: "sent-app"
        case .sendsToCallingCode(let code): "sent-code/\(code)"
        case .stepUps(let userID): "step-up/\(userID)"
        case .deliveryTests: "delivery-test"
        case .notices(let userID, let kind): "notice/\(kind.rawValue)/\(userID)"
        }
    }

    /// All counters of one payer, apart from the total of its group.
    package static func all(of owner: BudgetOwner) -> [CounterKey] {
        [
            .starts(owner), .failures(owner, .hour), .failures(owner, .day), .failures(owner, .streak),
            .passwordTries(owner), .sends(owner, .hour), .sends(owner, .day),
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
    package static func prefixes(ofUser userID: String) -> [String] {
        let owners: [BudgetOwner] = [.device(id: "", userID: userID), .session(id: "", userID: userID)]
        return owners.flatMap { all(of: $0).map(\.text) }
    }
}
