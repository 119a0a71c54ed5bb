/// Rows that a commit wrote and that are delivered later, in lanes that do not wait for each other.
///
/// A parcel is claimed with a lease: other couriers do not see it until the lease ends. If the process ends before the
/// result is stored, the parcel is due again at the end of the lease. So each parcel is delivered at least once.
package protocol Outbox: Sendable {
    /// What is delivered one after the other, or `width` at a time.
    associatedtype Lane: Identifiable & Sendable where Lane.ID: Sendable
    associatedtype Parcel: Sendable

    /// The name in logs and metrics.
    static var kind: OutboxKind { get }
    /// The number of deliveries of one lane at the same time.
    static var width: Int { get }
    /// The number of deliveries of all lanes at the same time.
    static var capacity: Int { get }
    /// Seconds that running deliveries get to end when the courier finishes.
    static var grace: Int { get }

    /// The lanes that have something due, longest due first, with the number of parcels.
    func due(at now: Timestamp) async throws -> [(lane: Lane, count: Int)]
    /// Claims the next parcel of a lane. `nil` if nothing is due.
    func claim(in lane: Lane, at now: Timestamp) async throws -> Parcel?
    /// Notes a parcel that its commit has claimed.
    ///
    /// - Returns: Whether it may be delivered. `false` if it is being delivered.
    func begin(_ parcel: Parcel, at now: Timestamp) -> Bool
    /// Makes one attempt and stores its result.
    ///
    /// - Returns: Whether the lane may go on at once.
    func deliver(_ parcel: Parcel) async throws -> Bool
}

extension Outbox {
    package func begin(_ parcel: Parcel, at now: Timestamp) -> Bool { true }
}
