import Testing

@testable import SessionDomain

@Suite("Notices of recovered sessions")
struct RecoveryCounterTests {
    @Test("The first recovery is reported at once, and later ones as one number")
    func counts() {
        let counter = RecoveryCounter()
        #expect(counter.due() == nil)
        #expect(counter.count() == .sessionsRecovered(count: 1))
        #expect(counter.due() == nil)
        for _ in 0..<3 { #expect(counter.count() == nil) }
        #expect(counter.due() == .sessionsRecovered(count: 4))
        #expect(counter.due() == nil)
    }

    @Test("The notice asks for a restored backup")
    func text() {
        #expect(ServiceNotice.sessionsRecovered(count: 1).description.contains("restored from a backup?"))
    }
}
