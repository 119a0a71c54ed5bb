import Testing

@testable import SessionDomain

@Suite("Counts of users")
struct UserCountsTests {
    @Test("A count is complete up to its bound")
    func bound() {
        let all = UserCounts([.active: UserCounts.bound - 2, .suspended: 1])
        #expect(all.isComplete && all.total == UserCounts.bound - 1)
        #expect(all[.active] == UserCounts.bound - 2 && all[.suspended] == 1 && all[.inactive] == 0)
        let more = UserCounts([.active: UserCounts.bound - 1, .suspended: 1])
        #expect(!more.isComplete)
    }
}
