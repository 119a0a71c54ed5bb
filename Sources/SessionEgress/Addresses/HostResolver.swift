/// Finds the addresses of a host. There is one in the service; tests bring others, which lie.
package protocol HostResolver: Sendable {
    /// Addresses as text, the best first.
    ///
    /// An address, in whatever spelling, leads to itself. When its task is cancelled, this throws at once: the
    /// deadline of a call relies on it.
    ///
    /// - Throws: `HostResolutionError`, or `CancellationError`.
    func addresses(of host: String) async throws -> [String]
}

/// A host has no address, or nobody knew.
package struct HostResolutionError: Error {
    /// The resolver's own words.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
