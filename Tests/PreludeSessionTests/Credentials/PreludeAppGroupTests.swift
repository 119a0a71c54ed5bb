import Testing

@testable import PreludeSession

@Suite("A session in an app group")
struct PreludeAppGroupTests {
    @Test("An app group names the container and, unless another is given, the access group")
    func accessGroup() {
        #expect(PreludeAppGroup("group.a").accessGroup == "group.a")
        #expect(PreludeAppGroup("group.a", accessGroup: "TEAM.b").accessGroup == "TEAM.b")
    }

    @Test("A group without a container or a name is rejected with what to do")
    func rejected() throws {
        func text(_ group: PreludeAppGroup, container: String?) throws -> String {
            let error = #expect(throws: PreludeSessionError.self) { try group.checked(container: container) }
            guard case .invalidConfiguration(let text) = try #require(error) else { return "" }
            return text.text
        }
        let missing = try text(PreludeAppGroup("group.a"), container: nil)
        #expect(missing.contains("group.a") && missing.contains("App Groups"))
        #expect(try text(PreludeAppGroup(" "), container: "/c").contains("identifier"))
        #expect(try text(PreludeAppGroup("group.a", accessGroup: ""), container: "/c").contains("access group"))
        #expect(try PreludeAppGroup("group.a").checked(container: "/c") == "/c")
    }
}
