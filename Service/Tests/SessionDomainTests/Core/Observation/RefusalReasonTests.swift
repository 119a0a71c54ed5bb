import SessionDomain
import SessionTokens
import Testing

@Suite("Reasons of refusals")
struct RefusalReasonTests {
    @Test("All reasons have different names, which are words")
    func names() {
        let names = RefusalReason.all.map(\.name)
        #expect(Set(names).count == names.count && names.count > 80)
        for name in names { #expect(name.allSatisfy { $0.isLowercase || $0 == "_" }, "\(name)") }
    }

    @Test("The limits of stored counters have the names that events show")
    func limits() {
        let owner = BudgetOwner.device(id: "d", userID: "u")
        let counters: [(CounterKey, String)] = [
            (.starts(owner), "starts"), (.failures(owner, .hour), "failures_hour"),
            (.failures(owner, .day), "failures_day"), (.failures(owner, .streak), "failures_streak"),
            (.startsOfNetwork("n"), "starts_of_address"), (.failuresOfNetwork("n"), "failures_of_address"),
            (.migrationsOfNetwork("n"), "migrations_of_address"), (.sends(owner, .hour), "sends_hour"),
            (.sends(owner, .day), "sends_day"), (.failuresOfGroup("g"), "failures_of_user"),
            (.sendsOfGroup("g"), "sends_of_user"), (.sendsOfApp, "sends_of_app"),
            (.sendsToCallingCode("+33"), "sends_to_calling_code"),
            (.sendsToNumberRange("+33612"), "sends_to_number_range"), (.stepUps(userID: "u"), "step_ups"),
            (.deliveryTests, "delivery_tests"),
        ]
        for (counter, name) in counters { #expect(counter.limit.rawValue == name) }
        #expect(counters.count == LimitName.allCases.count - 3, "without notices and those in memory")
    }
}
