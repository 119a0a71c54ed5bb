import Foundation
import Testing

@Suite("Every interleaving of refreshes")
struct RotationExplorerTests {
    /// How many steps every scenario has at least, from the environment.
    private static let leastDepth =
        ProcessInfo.processInfo.environment["PRELUDE_SESSION_EXPLORE"].flatMap(Int.init) ?? 0

    // Proves: R27
    @Test("No rule is violated, whatever is lost, repeated, late, killed, restored or copied", arguments: Scenario.all)
    func explore(scenario: Scenario) async throws {
        var scenario = scenario
        scenario.depth = max(scenario.depth, Self.leastDepth)
        let exploration = try await Exploration(of: scenario)
        print("\(scenario), \(scenario.depth) steps: \(exploration.states) states, \(exploration.steps) transitions")
        #expect(exploration.violation == nil, "\(exploration.violation.map(String.init(describing:)) ?? "")")
    }

    // Proves: R27
    @Test("The explorer finds each rule that is broken", arguments: BrokenRule.allCases)
    func broken(rule: BrokenRule) async throws {
        let violation = try #require(try await Exploration(of: rule.scenario, breaking: rule).violation)
        print("\(rule): \(violation)")
        #expect(violation.rule == rule.violated)
    }
}
