import Foundation
import NIOSSL

/// A certificate chain with its key, as TLS needs them.
struct TLSCertificate {
    /// Why a pair cannot be used.
    struct Problem: Error, Equatable {
        enum Part { case certificate, key }

        let part: Part
        let text: String
    }

    let context: NIOSSLContext
    /// When the first certificate is valid, in seconds since 1970.
    let validity: Range<Int>

    /// The versions and protocols that the service offers: TLS 1.2 and 1.3 (RFC 8996 forbids older ones), HTTP/2 first.
    private static let protocols = ["h2", "http/1.1"]

    /// - Parameters:
    ///   - chain: Certificates in PEM format, that of the service first.
    ///   - key: The private key of the first certificate in PEM format, without a passphrase.
    init(chain: Data, key: Data) throws(Problem) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes([UInt8](chain)), let first = certificates.first
        else {
            throw Problem(
                part: .certificate, text: "has no certificate in PEM format (-----BEGIN CERTIFICATE-----)")
        }
        guard let key = try? NIOSSLPrivateKey(bytes: [UInt8](key), format: .pem) else {
            throw Problem(
                part: .key,
                text: "has no private key in PEM format (-----BEGIN PRIVATE KEY-----), or one with a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = Self.protocols
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw Problem(part: .key, text: "is not the key of the first certificate")
        }
        validity = first.notValidBefore..<max(first.notValidBefore, first.notValidAfter)
    }

    /// What an operator should know about the dates. `nil`: nothing.
    ///
    /// - Parameter now: Seconds since 1970.
    func warning(at now: Int) -> String? {
        if now < validity.lowerBound {
            return "the TLS certificate is not valid before \(Self.date(validity.lowerBound))"
        }
        if now >= validity.upperBound { return "the TLS certificate expired at \(Self.date(validity.upperBound))" }
        let days = (validity.upperBound - now) / 86_400
        return days < 14 ? "the TLS certificate expires at \(Self.date(validity.upperBound)), in \(days) days" : nil
    }

    private static func date(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
