/// Finds the addresses of a host. Tests replace it with resolvers that return false addresses.
package protocol HostResolver: Sendable {
    /// Returns the addresses as text, the preferred one first.
    ///
    /// An address in any spelling resolves to itself. When the task is cancelled, this throws at once: the deadline of
    /// a call depends on it.
    ///
    /// - Throws: `HostResolutionError`, or `CancellationError`.
    func addresses(of host: String) async throws -> [String]
}

/// A host has no address, or the resolver failed.
package struct HostResolutionError: Error {
    /// The resolver's own message.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
