internal import Foundation
internal import Testing

/// The rules that every store must keep.
package enum StoreContract {
    /// The names of the stores. The tests of each store compare their names with this list.
    package static let backends = ["SQLite file", "SQLite memory", "PostgreSQL"]

    /// All rules, or those whose names contain the text in the environment variable `PRELUDE_SESSION_RULE`.
    package static let rules: [ContractRule] = {
        guard let text = ProcessInfo.processInfo.environment["PRELUDE_SESSION_RULE"] else { return all }
        return all.filter { $0.name.contains(text) }
    }()

    private static let all: [ContractRule] =
        FactRules.all + GuardRules.all + AppRules.all + OperatorAppRules.all + ManagementKeyRules.all + UserRules.all
        + DeletionRules.all
        + IdentifierRules.all
        + AccessRules.all
        + StartSessionRules.all + RotationRules.all + RotationRaceRules.all + SessionListRules.all
        + ReplayMemoryRules.all + VerificationRules.all + BudgetRules.all + SharedMessageRules.all + CheckCodeRules.all
        + PasswordTryRules.all
        + HousekeepingRules.all + ChallengeRules.all + EndedStepUpRules.all + GrantRules.all + RedemptionRules.all
        + ChangePasswordRules.all + SendStepUpCodeRules.all + StepUpCodeRules.all + RegisterScopeRules.all
        + CustomStepRules.all + PasskeyRules.all + AdoptUserRules.all + WebhookRules.all + OutboxRules.all
        + SigningKeyRules.all
        + EventRules.all + LoginEventRules.all + MessageRules.all
}

/// One rule, checked with an empty store.
package struct ContractRule: Sendable, CustomTestStringConvertible {
    package let name: String
    package let check: @Sendable (ContractWorld) async throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (ContractWorld) async throws -> Void) {
        self.name = name
        self.check = check
    }

    package var testDescription: String { name }
}

/// Runs the work many times concurrently. The answers have no order.
func concurrently<Answer: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Answer
) async throws -> [Answer] {
    try await withThrowingTaskGroup(of: Answer.self) { group in
        for index in 0..<count { group.addTask { try await work(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
