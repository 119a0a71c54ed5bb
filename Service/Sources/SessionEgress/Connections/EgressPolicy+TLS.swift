internal import NIOSSL

/// An egress policy cannot be applied.
package enum EgressPolicyError: Error, Equatable {
    /// The file at this path is missing or contains no PEM certificate.
    case unreadableTrustRoots(String)
}

extension EgressPolicy {
    /// Requires TLS 1.2 or later, a complete certificate chain and a matching name. Trusts the system's authorities and
    /// the operator's.
    func tlsConfiguration() throws(EgressPolicyError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        guard let path = additionalTrustRoots else { return configuration }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw .unreadableTrustRoots(path)
        }
        configuration.additionalTrustRoots = [.certificates(certificates)]
        return configuration
    }
}
