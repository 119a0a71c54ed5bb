/// How many users an app has, counted with a bound: a count of millions of rows takes seconds.
package struct UserCounts: Sendable, Equatable {
    /// The largest number of users that are counted.
    package static let bound = 10_000

    private let statuses: [User.Status: Int]
    /// Whether these are all users. Otherwise they are the newest `bound`.
    package let isComplete: Bool

    /// - Parameter found: The users among the newest `bound`.
    init(_ found: [User.Status: Int]) {
        statuses = found
        isComplete = found.values.reduce(0, +) < Self.bound
    }

    /// The number of counted users.
    package var total: Int { statuses.values.reduce(0, +) }

    package subscript(status: User.Status) -> Int { statuses[status] ?? 0 }
}
