internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOSSL
internal import SessionDomain

extension EgressError {
    /// Describes a failed call. Names the host only: the rest of the URL may contain a secret.
    init(_ error: any Error, host: String) {
        switch error {
        case let error as EgressError: self = error
        case is CancellationError: self = .connectionFailed("The call was cancelled.")
        case let error as HostResolutionError: self = .cannotResolve("\(host): \(error.reason)")
        case let error as HTTPClientError: self.init(error, host: host)
        case let error as NIOSSLError: self = .connectionFailed(Self.text(error, host: host))
        case is NIOSSLExtraError: self = .connectionFailed("The certificate of \(host) is for another name.")
        case let error as StatusGuard.InvalidStatus:
            self = .connectionFailed("\(host) answered with the invalid status \(error.code).")
        case let error as IOError:
            self = .connectionFailed("No connection to \(host): \(String(cString: strerror(error.errnoCode)))")
        default: self = .connectionFailed("The call to \(host) failed (\(type(of: error))).")
        }
    }

    private init(_ error: HTTPClientError, host: String) {
        switch error {
        case .deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout, .readTimeout, .writeTimeout,
            .getConnectionFromPoolTimeout:
            self = .timedOut
        case .cancelled: self = .connectionFailed("The call was cancelled.")
        case .remoteConnectionClosed: self = .connectionFailed("\(host) closed the connection.")
        default: self = .connectionFailed("The call to \(host) failed: \(error.shortDescription).")
        }
    }

    private static func text(_ error: NIOSSLError, host: String) -> String {
        guard case .handshakeFailed(let reason) = error else { return "TLS with \(host) failed." }
        return String(describing: reason).contains("CERTIFICATE_VERIFY_FAILED")
            ? "The certificate of \(host) is expired, not valid yet, or not from a trusted authority."
            : "The TLS handshake with \(host) failed."
    }
}
