internal import SessionDomain

/// Finds the addresses to which a connection to a host may go, for protocols other than HTTP.
///
/// A name is resolved once per call. The caller connects to one of the returned addresses and never resolves the name
/// again.
package struct HostPinning: Sendable {
    private let resolver: any HostResolver
    private let policy: AddressPolicy

    package init(policy: EgressPolicy) { self.init(policy: policy, resolver: SystemHostResolver()) }

    package init(policy: EgressPolicy, resolver: any HostResolver) {
        self.resolver = resolver
        self.policy = AddressPolicy(allowedNetworks: policy.allowedNetworks)
    }

    /// Returns the allowed addresses, the preferred one first. There is at least one.
    ///
    /// - Throws: `EgressError.cannotResolve` without an address, `.refusedAddress` if none is allowed, or
    ///   `CancellationError`.
    package func addresses(of host: String) async throws -> [String] {
        let found: [String]
        do {
            found = try await resolver.addresses(of: host)
        } catch let error as HostResolutionError {
            throw EgressError.cannotResolve("\(host): \(error.reason)")
        }
        _ = try policy.firstAllowed(found, of: host)
        return found.filter { policy.rejectionReason(for: $0) == nil }
    }
}
