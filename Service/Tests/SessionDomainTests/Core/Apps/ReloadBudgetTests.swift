import Testing

@testable import SessionDomain

@Suite("Reading the apps again for unknown hosts")
struct ReloadBudgetTests {
    // Proves: N12
    @Test("Five reads at once, then one per second, and never more than five")
    func budget() {
        var budget = ReloadBudget()
        func reads(at uptime: Int64) -> Int { (0..<20).count { _ in budget.take(uptime: uptime) } }
        #expect(reads(at: 7_000_000) == 5)
        #expect(reads(at: 7_000_999) == 0)
        #expect(reads(at: 7_001_000) == 1)
        #expect(reads(at: 7_003_500) == 2)
        #expect(reads(at: 7_004_000) == 1)
        #expect(reads(at: 7_600_000) == 5)
    }

    @Test("An uptime that goes back allows no further reads, and does not stop later ones")
    func backwards() {
        var budget = ReloadBudget()
        let taken = [10_000, 10_000, 10_000, 10_000, 10_000, 0, 11_000].map { budget.take(uptime: $0) }
        #expect(taken == [true, true, true, true, true, false, true])
    }
}
