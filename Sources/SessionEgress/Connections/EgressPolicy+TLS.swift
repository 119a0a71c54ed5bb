internal import NIOSSL

/// Why an egress policy cannot be followed.
package enum EgressPolicyError: Error, Equatable {
    /// There is no file at this path, or no certificate in PEM in it.
    case unreadableTrustRoots(String)
}

extension EgressPolicy {
    /// TLS 1.2 or later, the whole chain and the name verified, with the operator's authorities besides the system's.
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
