import Foundation
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import SessionDomain
import Synchronization

/// The certificate that new connections get. It is read again when its files change, without an effect on open connections.
/// Its dates are watched while the service runs.
final class TLSCertificates: Service, CustomStringConvertible {
    private struct State {
        var context: NIOSSLContext
        var stamp: TLSFiles.Stamp
        var watch: CertificateWatch
    }

    /// Seconds between two looks at the files.
    private static let interval = 5

    private let files: TLSFiles
    private let settings: Settings
    private let state: Mutex<State>
    private let environment: ServiceEnvironment
    private let logger: Logger

    /// - Throws: `ConfigurationError` if the files cannot be used.
    init(_ files: TLSFiles, settings: Settings, environment: ServiceEnvironment, logger: Logger) throws {
        self.files = files
        self.settings = settings
        self.environment = environment
        self.logger = logger
        let stamp = files.stamp
        let certificate = try files.read(settings)
        state = Mutex(State(context: certificate.context, stamp: stamp, watch: certificate.watch))
        warn(about: certificate)
    }

    var description: String { "TLSCertificates" }

    /// The context for a new connection.
    var context: NIOSSLContext { state.withLock(\.context) }

    /// What is wrong with the certificate now. `nil`: nothing.
    var finding: CertificateWatch.Finding? {
        let now = environment.now()
        return state.withLock { $0.watch.finding(at: now) }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await self.environment.sleep(Self.interval)) != nil {
                self.reload(isForced: false)
                self.reportDates()
            }
        }
    }

    /// Reads the files again. With an invalid pair, the last one stays.
    ///
    /// - Parameter isForced: Also if the files look as they did.
    func reload(isForced: Bool) {
        // Before the files are read: a change after it is seen in the next round.
        let stamp = files.stamp
        guard isForced || state.withLock({ $0.stamp != stamp }) else { return }
        do {
            let certificate = try files.read(settings)
            state.withLock {
                $0 = State(context: certificate.context, stamp: stamp, watch: certificate.watch)
            }
            logger.notice("read the TLS certificate again", metadata: ["path": "\(files.certificate)"])
            warn(about: certificate)
        } catch {
            // One line for each change: writers replace one file after the other.
            state.withLock { $0.stamp = stamp }
            logger.error("the TLS certificate was not replaced; the last one stays", metadata: ["error": "\(error)"])
        }
    }

    private func warn(about certificate: TLSCertificate) {
        if let warning = certificate.chainWarning { logger.warning("\(warning)") }
        reportDates()
    }

    private func reportDates() {
        let now = environment.now()
        let line = state.withLock { $0.watch.line(at: now) }
        if let line { environment.observer.observe(.notice(.certificate(line))) }
    }
}

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

/// The files of the certificate and its key.
struct TLSFiles: Sendable {
    let certificate: String
    let key: String

    /// What a change of the files changes.
    struct Stamp: Equatable {
        private let parts: [String]

        fileprivate init(_ paths: [String]) {
            parts = paths.map { path in
                // Programs that renew certificates change the target of a link.
                let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                let attributes = (try? FileManager.default.attributesOfItem(atPath: target)) ?? [:]
                let time = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
                return "\(target) \(attributes[.systemFileNumber] ?? 0) \(attributes[.size] ?? 0) \(time)"
            }
        }
    }

    var stamp: Stamp { Stamp([certificate, key]) }

    /// - Throws: `ConfigurationError` with the name of the setting in the given settings.
    func read(_ settings: Settings) throws(ConfigurationError) -> TLSCertificate {
        let chain = try content(of: certificate, .tlsCertificate, settings)
        let secret = try content(of: key, .tlsKey, settings)
        do {
            return try TLSCertificate(chain: chain, key: secret)
        } catch {
            let (setting, path) =
                error.part == .certificate ? (Settings.Key.tlsCertificate, certificate) : (.tlsKey, key)
            throw settings.error(setting, "\(path) \(error.text)")
        }
    }

    private func content(
        of path: String, _ key: Settings.Key, _ settings: Settings
    ) throws(ConfigurationError) -> Data {
        let content: Data
        do {
            content = try ReadableFile(path: path).read().content
        } catch {
            throw settings.error(key, error.problem(of: path, ifMissing: "Name a file in PEM format"))
        }
        guard !content.isUTF16 else { throw settings.error(key, "\(path) is UTF-16. Save it as ASCII or UTF-8") }
        return content.withoutByteOrderMark
    }
}

extension ServiceConfiguration {
    /// The files for TLS. `nil`: the listeners speak plain HTTP.
    static func tlsFiles(_ settings: Settings) throws -> TLSFiles? {
        switch (settings.string(.tlsCertificate), settings.string(.tlsKey)) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (_?, nil):
            throw settings.error(missing: "tlsKey", beside: .tlsCertificate, "is required with a certificate")
        case (nil, _?): throw settings.error(missing: "tlsCertificate", beside: .tlsKey, "is required with a key")
        }
    }
}
