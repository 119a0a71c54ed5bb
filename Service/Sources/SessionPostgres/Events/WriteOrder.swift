/// The place of a row among all rows of its kind, in the order in which the server wrote them.
///
/// It is the time of the server, and the place within the transaction. No row waits for a counter that all logins share, and
/// the order survives a restore on another server. A transaction that writes first can commit last.
struct WriteOrder {
    /// Numbers per microsecond. They suffice until the year 2255.
    private static let perMicrosecond: Int64 = 1024
    /// How much lower a number can be than that of a row that was visible before: 20 seconds, which are more than a
    /// transaction of a request lasts, and than the clock of a new primary is behind.
    static let lateness = 20_000_000 * perMicrosecond

    /// The place within the transaction.
    let position: Int

    /// - Parameter position: The parameter of the place, such as `$4`.
    static func sequence(_ position: String) -> String {
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * \(perMicrosecond) + \(position)::bigint"
    }
}
