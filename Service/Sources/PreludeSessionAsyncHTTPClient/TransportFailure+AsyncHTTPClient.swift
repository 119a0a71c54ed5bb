internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
@_spi(Service) internal import PreludeSession

// Errors of AsyncHTTPClient and SwiftNIO as errors of the SDK.

extension PreludeSessionError {
    /// The error of a request that has no complete response.
    ///
    /// - Parameters:
    ///   - host: The host that was called, with its port if the URL has one.
    ///   - isCancelled: Whether the caller's task is cancelled.
    static func failure(_ error: any Error, host: String, isCancelled: Bool) -> any Error {
        switch error {
        case is PreludeSessionError: error
        case _ where isCancelled: CancellationError()
        case let error as HTTPClientError where error.isInvalidURL:
            PreludeSessionError.invalidConfiguration("the request has no valid URL")
        case let error as HTTPClientError where error.isTimeout: PreludeSessionError.timeout
        default:
            PreludeSessionError.network(
                underlying: PreludeTransportFailure(host: host, cause: .init(of: error), underlying: error))
        }
    }
}

extension HTTPClientError {
    fileprivate var isInvalidURL: Bool { [.emptyHost, .emptyScheme, .invalidURL].contains(self) }

    fileprivate var isTimeout: Bool {
        switch self {
        case .connectTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout, .httpProxyHandshakeTimeout,
            .readTimeout, .socksHandshakeTimeout, .tlsHandshakeTimeout, .writeTimeout:
            true
        default: false
        }
    }
}

extension PreludeTransportFailure.Cause {
    fileprivate init(of error: any Error) {
        switch error {
        case is AnswerTooLarge, is StatusGuard.InvalidStatus: self = .invalidResponse
        case let error as HTTPClientError:
            self = [.remoteConnectionClosed, .uncleanShutdown].contains(error) ? .connectionLost : .other
        // The end of a connection inside a head.
        case HTTPParserError.invalidEOFState: self = .connectionLost
        case is HTTPParserError: self = .invalidResponse
        case let error as NIOConnectionError: self.init(of: error)
        case let error as IOError: self.init(of: error)
        case let error as NIOSSLError: self.init(of: error)
        case is NIOSSLExtraError: self = .untrustedCertificate
        default: self = .other
        }
    }

    /// Without an address there was no attempt to connect.
    private init(of error: NIOConnectionError) {
        guard let first = error.connectionErrors.first else {
            self = .nameNotFound
            return
        }
        self.init(of: first.error)
    }

    private init(of error: IOError) {
        switch error.errnoCode {
        case ECONNREFUSED: self = .refused
        case ECONNRESET, EPIPE, ECONNABORTED: self = .connectionLost
        case ENETUNREACH, ENETDOWN: self = .offline
        case ETIMEDOUT: self = .timeout
        default: self = .other
        }
    }

    private init(of error: NIOSSLError) {
        switch error {
        case .handshakeFailed(let reason) where String(describing: reason).contains("CERTIFICATE_VERIFY_FAILED"):
            self = .untrustedCertificate
        case .handshakeFailed: self = .secureConnectionFailed
        case .uncleanShutdown: self = .connectionLost
        default: self = .other
        }
    }
}
