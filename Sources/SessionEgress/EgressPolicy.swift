package import SessionDomain

/// What an operator lets out, beyond https to public addresses.
package struct EgressPolicy: Sendable {
    /// For development only.
    package var allowsPlainHTTP: Bool
    /// Networks that may be called although they are private or otherwise special.
    package var allowedNetworks: [IPNetwork]
    /// A PEM file with certificates of authorities that are trusted besides the system's.
    package var additionalTrustRoots: String?
    /// Seconds for which an unused connection is kept. Below the five after which common servers hang up, so that few
    /// requests meet a closing connection.
    package var keepAlive = 4

    package init(
        allowsPlainHTTP: Bool = false, allowedNetworks: [IPNetwork] = [], additionalTrustRoots: String? = nil
    ) {
        self.allowsPlainHTTP = allowsPlainHTTP
        self.allowedNetworks = allowedNetworks
        self.additionalTrustRoots = additionalTrustRoots
    }
}
