package import SessionDomain

/// What the operator allows beyond https to public addresses.
package struct EgressPolicy: Sendable {
    /// Whether http is allowed. For development only.
    package var allowsPlainHTTP: Bool
    /// Networks that may be called although they are private or special-purpose.
    package var allowedNetworks: [IPNetwork]
    /// Path of a PEM file with certificates of authorities that are trusted in addition to the system's.
    package var additionalTrustRoots: String?
    /// Seconds that an unused connection is kept. Common servers close theirs after five, so this is less: few requests
    /// meet a closing connection.
    package var keepAlive = 4

    package init(
        allowsPlainHTTP: Bool = false, allowedNetworks: [IPNetwork] = [], additionalTrustRoots: String? = nil
    ) {
        self.allowsPlainHTTP = allowsPlainHTTP
        self.allowedNetworks = allowedNetworks
        self.additionalTrustRoots = additionalTrustRoots
    }
}
