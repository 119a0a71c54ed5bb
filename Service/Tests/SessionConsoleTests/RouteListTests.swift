import Foundation
import HTTPTypes
import Testing

/// The list that the tests in a real browser walk through. `Tests/System/console/test_console_walk.py` fails for a route of
/// the list that no browser has used.
@Suite("List of the console's routes")
struct RouteListTests {
    private static let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("System/support/console_routes.txt")

    @Test("The list for the browser has exactly the pages and forms of the console")
    func complete() async throws {
        let listed = try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n").map { String($0) }
        let routes = try await ConsoleWorld().routes
            .filter { !$0.path.hasPrefix("/console/assets/") && !$0.path.hasSuffix("/**") }
            .map { "\($0.method.rawValue) \($0.path.replacing(/{[a-z_]+}/, with: "*"))" }
        #expect(listed == routes.sorted(), "add the route here, and a step to the walk in test_console_walk.py")
    }
}
