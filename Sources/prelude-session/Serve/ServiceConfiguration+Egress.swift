import SessionDomain
import SessionEgress

extension ServiceConfiguration {
    /// In development, hooks on this machine are the usual case, and have no certificate.
    var egressPolicy: EgressPolicy {
        EgressPolicy(
            allowsPlainHTTP: isDevelopment, allowedNetworks: egressNetworks + (isDevelopment ? IPNetwork.loopback : []),
            additionalTrustRoots: egressTrustRoots)
    }
}
