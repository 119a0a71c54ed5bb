import Testing

@testable import PreludeSession

@Suite("Random bytes of the system")
struct SystemRandomTests {
    @Test("They have the length that was asked for, and differ", arguments: [1, 15, 16, 32, 256, 257, 1000])
    func length(_ count: Int) {
        let all = (0..<8).map { _ in SystemRandom.bytes(count) }
        #expect(all.allSatisfy { $0.count == count })
        #expect(Set(all).count > 1)
    }
}
