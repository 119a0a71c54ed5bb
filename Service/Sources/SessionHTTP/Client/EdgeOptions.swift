package import HTTPTypes
package import SessionDomain

/// The operator's settings for the proxies in front of the service.
package struct EdgeOptions: Sendable {
    /// Networks of proxies whose forwarding headers count.
    package var trustedProxies: [IPNetwork]
    /// The header in which a trusted proxy sends the client's address. No other one is read: most proxies let those of their
    /// clients pass.
    package var clientAddressHeader: HTTPField.Name
    /// The header in which a trusted proxy sends the client's country (ISO 3166-1 alpha-2).
    package var countryHeader: HTTPField.Name?
    /// Whether limits by address do not apply to loopback addresses. For development only.
    package var exemptsLoopback: Bool
    /// Whether trusted proxies decide in `traceparent` which traces are recorded.
    package var followsProxyTraces: Bool

    package init(
        trustedProxies: [IPNetwork] = [], clientAddressHeader: HTTPField.Name? = nil,
        countryHeader: HTTPField.Name? = nil, exemptsLoopback: Bool = false, followsProxyTraces: Bool = false
    ) {
        self.trustedProxies = trustedProxies
        self.clientAddressHeader = clientAddressHeader ?? .forwardedFor
        self.countryHeader = countryHeader
        self.exemptsLoopback = exemptsLoopback
        self.followsProxyTraces = followsProxyTraces
    }

    /// Whether an address belongs to a trusted proxy.
    func isTrusted(_ address: String) -> Bool { trustedProxies.contains { $0.contains(address) } }
}
