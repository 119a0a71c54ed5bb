import Testing

@Suite("Every interleaving of a login with a code")
struct LoginExplorerTests {
    // Proves: R18
    @Test("No login fails and none leaves a session behind, whatever is lost, repeated or late, in two calls at once")
    func explore() async throws {
        let exploration = try await LoginExploration(depth: 10)
        print("a login, 10 steps: \(exploration.states) states")
        #expect(exploration.violation == nil, "\(String(describing: exploration.violation))")
        #expect(exploration.states > 1000)
    }

    // Proves: R27
    @Test("The explorer finds each rule that is broken", arguments: BrokenLoginRule.allCases)
    func broken(rule: BrokenLoginRule) async throws {
        let violation = try #require(try await LoginExploration(depth: 10, breaking: rule).violation)
        print("\(rule): \(violation)")
        #expect(violation.rule == (rule == .makesAChallengePerCheck ? .ghost : .fails))
    }
}
