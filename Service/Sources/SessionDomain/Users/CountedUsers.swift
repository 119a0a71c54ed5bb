/// How many users have something, among a limited number of rows: to count all could take long.
package struct CountedUsers: Sendable, Equatable {
    /// The most rows that are read for a page.
    package static let bound = 10_000

    package let count: Int
    /// Whether all rows of the app were read.
    package let isComplete: Bool

    /// - Parameters:
    ///   - read: How many rows were read.
    ///   - bound: How many are read at most.
    package init(count: Int, read: Int, of bound: Int) {
        self.count = count
        isComplete = read < bound
    }
}
