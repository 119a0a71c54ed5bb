/// A breadth-first search through all states, so that the first violation has the shortest trace.
struct Exploration {
    /// How many different states were found, and how many steps led to them.
    private(set) var states = 0
    private(set) var steps = 0
    private(set) var violation: Violation?

    struct Violation {
        let rule: Invariants.Rule
        let trace: [Step]
    }

    private struct Node {
        let world: World
        let parent: Int32
        let step: Step?
    }

    init(of scenario: Scenario, breaking broken: BrokenRule? = nil) async throws {
        let actors = try await Actors(scenario, breaking: broken)
        let invariants = Invariants(actors)
        let first = actors.firstWorld()
        var nodes = [Node(world: first, parent: -1, step: nil)]
        var known: Set<WorldKey> = [WorldKey(first)]
        var level = 0..<1
        for _ in 0..<scenario.depth where violation == nil {
            for index in level {
                // Tests that wait for a server need a thread meanwhile.
                if index.isMultiple(of: 64) { await Task.yield() }
                let world = nodes[index].world
                guard !invariants.isEnd(world) else { continue }
                actors.visitSteps(from: world) { step, next in
                    steps += 1
                    guard violation == nil, known.insert(WorldKey(next)).inserted else { return }
                    nodes.append(Node(world: next, parent: Int32(index), step: step))
                    if let rule = invariants.violation(from: world, to: next) {
                        violation = Violation(rule: rule, trace: Self.trace(to: nodes.count - 1, nodes))
                    }
                }
            }
            level = level.upperBound..<nodes.count
        }
        states = nodes.count
    }

    private static func trace(to last: Int, _ nodes: [Node]) -> [Step] {
        var (trace, index): ([Step], Int) = ([], last)
        while let step = nodes[index].step {
            trace.append(step)
            index = Int(nodes[index].parent)
        }
        return trace.reversed()
    }
}

extension Exploration.Violation: CustomStringConvertible {
    var description: String {
        let lines = trace.enumerated().map { "\($0 + 1). \($1)" }
        return (["\(rule.rawValue) after \(trace.count) steps:"] + lines).joined(separator: "\n    ")
    }
}
