/// The system's permission to run in the background for a while: the SDK's view of `ProcessInfo.performExpiringActivity`.
///
/// It is not behind `#if`, so that what the SDK does at the expiry is tested on every system.
protocol ExpiringActivity: Sendable {
    /// Calls the block with `false` on a thread of its own. The process may run until the block returns.
    ///
    /// Calls it again with `true`, on another thread, when the time is used up. Without any time the only call is with
    /// `true`.
    func perform(_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void)
}
