import SessionDomain
import SessionEgress

extension ServiceConfiguration {
    /// In development, hooks on this machine are the usual case, and have no certificate.
    var egressPolicy: EgressPolicy {
        let loopback = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }
        return EgressPolicy(
            allowsPlainHTTP: isDevelopment, allowedNetworks: egressNetworks + (isDevelopment ? loopback : []),
            additionalTrustRoots: egressTrustRoots)
    }
}
