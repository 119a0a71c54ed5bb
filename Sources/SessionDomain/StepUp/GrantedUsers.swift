/// How many users have a scope by a step-up, among a limited number of grants: to count all could take long.
package struct GrantedUsers: Sendable, Equatable {
    /// The most grants that are read for a page.
    package static let bound = 10_000

    package let count: Int
    /// Whether all grants of the app were read.
    package let isComplete: Bool

    /// - Parameters:
    ///   - read: How many grants were read.
    ///   - bound: How many are read at most.
    package init(count: Int, read: Int, of bound: Int) {
        self.count = count
        isComplete = read < bound
    }
}
