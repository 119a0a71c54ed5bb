import Foundation
import NIOCore
import NIOSSL
import SessionDomain

/// A certificate chain with its key, as TLS needs them.
struct TLSCertificate {
    /// Why a pair cannot be used.
    struct Problem: Error, Equatable {
        enum Part { case certificate, key }

        let part: Part
        let text: String
    }

    let context: NIOSSLContext
    /// Watches the dates of the first certificate.
    let watch: CertificateWatch
    private let chainLength: Int
    /// The hosts that the first certificate is for.
    let names: [String]

    /// Longer chains are usually bundles of authorities by mistake, and make each handshake larger.
    private static let longestChain = 10

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
        // A closed connection keeps its socket until the client has answered. Many must not take all files.
        configuration.shutdownTimeout = .seconds(1)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw Problem(part: .key, text: "is not the key of the first certificate")
        }
        let start = Timestamp(seconds: Int64(first.notValidBefore))
        watch = CertificateWatch(validity: start..<max(start, Timestamp(seconds: Int64(first.notValidAfter))))
        chainLength = certificates.count
        names = first._subjectAlternativeNames().compactMap { name in
            switch name.nameType {
            case .dnsName: String(decoding: name.contents, as: UTF8.self)
            case .ipAddress: Self.address(Array(name.contents))
            default: nil
            }
        }
    }

    /// As it is in a URL.
    private static func address(_ bytes: [UInt8]) -> String? {
        guard let family = [4: AF_INET, 16: AF_INET6][bytes.count] else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return family == AF_INET6 ? "[\(address)]" : address
    }

    /// What an operator should know about the chain. `nil`: nothing.
    var chainWarning: String? {
        guard chainLength > Self.longestChain else { return nil }
        return "the file of the TLS certificate has \(chainLength) certificates, and all are sent in each handshake. "
            + "It needs that of the service, and those of the authorities between it and the root"
    }

    /// All that an operator should know about the certificate.
    func warnings(at now: Timestamp) -> [String] {
        [watch.finding(at: now)?.description, chainWarning].compactMap { $0 }
    }
}
