import Logging
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
