package import SessionDomain

extension EgressPolicy {
    /// Checks a URL by its text only: its form, its scheme, and an address in it.
    package func validate(url: String) throws(EgressError) {
        let url = try EgressURL(url, allowsPlainHTTP: allowsPlainHTTP)
        // Names of this machine are not resolved (RFC 6761 §6.3).
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        let known = isLocal ? ["127.0.0.1", "::1"] : AddressInfo.literal(url.host).map { [$0] }
        if let known { _ = try AddressPolicy(allowedNetworks: allowedNetworks).firstAllowed(known, of: url.host) }
    }
}
