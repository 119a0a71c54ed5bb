/// What can happen, and how many steps are explored.
struct Scenario {
    let name: String
    var hasSlowClock = false
    var hasBackups = false
    var hasThief = false
    /// Whether the device makes attempt ids. Clients of the hosted product make none.
    var sendsAttempts = true
    /// How many requests the network holds at most, up to 3. A late one and the current one are 2.
    var requests = 2
    var depth = 12

    static let faults = Scenario(name: "faults", requests: 3)
    static let backups = Scenario(name: "faults and restored backups", hasBackups: true)
    static let backupsAndSlowClock = Scenario(
        name: "faults, a slow clock, and restored backups", hasSlowClock: true, hasBackups: true, requests: 3)
    static let thief = Scenario(name: "faults and a thief", hasThief: true)
    static let withoutAttempts = Scenario(name: "faults, without attempt ids", sendsAttempts: false, requests: 3)
    static let thiefWithoutAttempts = Scenario(
        name: "faults and a thief, without attempt ids", hasThief: true, sendsAttempts: false)

    /// All scenarios in which every rule must hold. The last one has two million states with 12 steps; `scripts/test` visits them.
    static let all = [
        faults, Scenario(name: "faults and a slow clock", hasSlowClock: true, requests: 3), backups,
        backupsAndSlowClock, thief,
        Scenario(name: "faults, restored backups, and a thief", hasBackups: true, hasThief: true, depth: 8),
        withoutAttempts,
        Scenario(
            name: "faults, a slow clock, and restored backups, without attempt ids", hasSlowClock: true,
            hasBackups: true, sendsAttempts: false, requests: 3),
        thiefWithoutAttempts,
    ]
}

extension Scenario: CustomStringConvertible {
    var description: String { name }
}

extension BrokenRule {
    /// The scenario in which breaking the rule has an effect.
    var scenario: Scenario {
        switch self {
        case .rejectsTokensAheadOfTheRow: .backups
        case .takesEveryNonceForTheTime: .backupsAndSlowClock
        case .repeatsForEveryAttempt, .repeatsForTheFirstAttempt, .keepsAnAttemptThatIsSpent, .neverEndsOldTokens:
            .thief
        case .limitsRepetitions: .withoutAttempts
        case .repeatsForOlderTokens: .thiefWithoutAttempts
        default: .faults
        }
    }

    /// What is violated first.
    var violated: Invariants.Rule {
        switch self {
        case .repeatsForEveryAttempt, .repeatsForTheFirstAttempt: .oneHolder
        case .keepsAnAttemptThatIsSpent, .neverEndsOldTokens: .ends
        case .forgetsEarlierAttempts, .takesReplayForReuse, .takesLateRequestForReuse, .takesEveryNonceForTheTime:
            .stays
        case .takesRepetitionForReuse, .rejectsTokensAheadOfTheRow, .makesAnAttemptPerRepetition,
            .sendsBeforeTheAttemptIsStored, .limitsRepetitions:
            .renews
        case .repeatsForOlderTokens: .oneChain
        }
    }
}
