public import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Why a request got no response: the host, and the cause as far as it is known.
///
/// Read it from `PreludeSessionError.transportFailure`. A `PreludeSessionTransport` of your own throws it, if it knows the cause.
/// `URLError` stays the payload of `PreludeSessionError.network(underlying:)`; every other error of a transport is the
/// `underlying` error of a failure with the cause `other`.
public struct PreludeTransportFailure: Error, Sendable {
    /// Why there is no response. Causes of later versions are added as further values.
    public struct Cause: RawRepresentable, Sendable, Hashable {
        /// The name of the cause.
        public let rawValue: String

        /// Creates a cause.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The host that was called, with its port if the URL has one.
    public let host: String
    /// Why there is no response.
    public let cause: Cause
    /// The error of the network library. Its text is in no text of the SDK, because it may contain whole URLs.
    public let underlying: any Error

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - host: The host that was called, with its port if the URL has one.
    ///   - cause: Why there is no response.
    ///   - underlying: The error of the network library.
    public init(host: String, cause: Cause, underlying: any Error) {
        self.host = host
        self.cause = cause
        self.underlying = underlying
    }
}

extension PreludeTransportFailure.Cause {
    /// The device has no network.
    public static let offline = Self(rawValue: "offline")
    /// The name of the host does not exist, or cannot be looked up.
    public static let nameNotFound = Self(rawValue: "name_not_found")
    /// The host accepts no connection at this port.
    public static let refused = Self(rawValue: "refused")
    /// The connection was closed before the response was complete.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// The host's certificate is not trusted: self-signed, expired, or for another name.
    public static let untrustedCertificate = Self(rawValue: "untrusted_certificate")
    /// TLS failed before a certificate was checked.
    public static let secureConnectionFailed = Self(rawValue: "secure_connection_failed")
    /// The system forbids plain http (App Transport Security).
    public static let plainHTTPForbidden = Self(rawValue: "plain_http_forbidden")
    /// The response is not HTTP, or too large.
    public static let invalidResponse = Self(rawValue: "invalid_response")
    /// No response in time, if the transport reports it in this way.
    public static let timeout = Self(rawValue: "timeout")
    /// Any other cause.
    public static let other = Self(rawValue: "other")
}

extension PreludeTransportFailure {
    /// Host, cause and what to check, in English, for developers and logs.
    public var summary: String { "\(host) \(problem) \(advice); a session is kept." }

    private var problem: String {
        switch cause {
        case .offline: "did not answer: this device is offline."
        case .nameNotFound: "was not found: no address for this name."
        case .refused: "refused the connection."
        case .connectionLost: "closed the connection before it answered."
        case .untrustedCertificate: "has a certificate that this device does not trust."
        case .secureConnectionFailed: "accepted no secure connection."
        case .plainHTTPForbidden: "was not called: the system forbids plain http."
        case .invalidResponse: "sent a response that cannot be read."
        case .timeout: "did not answer in time."
        default: "did not answer (\(PreludeSessionError.kind(of: underlying)))."
        }
    }

    private var advice: String {
        switch cause {
        case .offline: "Try again when there is a network"
        case .nameNotFound: "Check the spelling of the endpoint, and the network of this device"
        case .refused, .timeout: "Check that the service runs, and the port of the endpoint" + loopbackAdvice
        case .connectionLost: "Try again; check proxies between this device and the service if it happens often"
        case .untrustedCertificate:
            "Check that the certificate is for this name, not expired, and by an authority that this device trusts; "
                + "check the date of this device"
        case .secureConnectionFailed: "Check that the service, or the proxy in front of it, speaks TLS at this port"
        case .plainHTTPForbidden:
            "Use an https endpoint, or allow local networking in the app's Info.plist (NSAllowsLocalNetworking)"
        case .invalidResponse: "Check that the endpoint is the session service"
        default: "Try again later" + loopbackAdvice
        }
    }

    /// The most frequent mistake with a service on the developer's machine.
    private var loopbackAdvice: String {
        let name = host.hasPrefix("[") ? host : String(host.prefix { $0 != ":" })
        let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains { name.hasPrefix($0) }
        return isLoopback ? ". On a phone or in a container, \(name) is that phone or container itself" : ""
    }
}

extension PreludeTransportFailure: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// As `summary`.
    public var errorDescription: String? { summary }
    /// Host, cause, and the type and code of the underlying error.
    public var description: String {
        "PreludeTransportFailure(\(host), \(cause.rawValue), \(PreludeSessionError.kind(of: underlying)))"
    }
    /// As `description`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Errors of the app's own transport and stores, as errors of the SDK. A `CancellationError` stays as it is.
extension PreludeSessionError {
    /// The error for an error of a transport. The original is in the case's payload and in no text.
    ///
    /// - Parameter origin: What was called: scheme, host and port.
    static func transportError(_ error: any Error, from origin: String) -> any Error {
        switch error {
        case let error as URLError where error.isOfCancelledTask: CancellationError()
        case PreludeSessionError.network(let cause as URLError) where cause.isOfCancelledTask: CancellationError()
        case PreludeSessionError.network(let cause):
            PreludeSessionError.network(underlying: named(cause, origin: origin))
        case is PreludeSessionError, is CancellationError: error
        case let error as URLError where error.code == .timedOut: PreludeSessionError.timeout
        default: PreludeSessionError.network(underlying: named(error, origin: origin))
        }
    }

    /// The cause with the host that was called. `URLError` stays what it is, because apps compare its code.
    private static func named(_ cause: any Error, origin: String) -> any Error {
        switch cause {
        case is PreludeTransportFailure, is GatewayError, is CancellationError: cause
        case let error as URLError: error.naming(origin: origin)
        default:
            PreludeTransportFailure(
                host: String(origin.drop { $0 != "/" }.dropFirst(2)),
                cause: cause is AnswerTooLarge || cause is AnswerIsPage ? .invalidResponse : .other, underlying: cause)
        }
    }

    /// The error for an error of a store. Its text contains only the original's type.
    ///
    /// - Parameter component: The failed part, as the error's sentence begins.
    static func storageError(_ error: any Error, of component: String) -> any Error {
        switch error {
        case is PreludeSessionError, is CancellationError: error
        default: PreludeSessionError.storageUnavailable("\(component) failed: \(type(of: error))")
        }
    }
}

extension PreludeSessionError {
    /// Why a request got no response, with the host; `nil` for all cases but `.network`, and if a gateway answered.
    public var transportFailure: PreludeTransportFailure? {
        guard case .network(let cause) = self else { return nil }
        return cause as? PreludeTransportFailure ?? (cause as? URLError)?.transportFailure
    }
}

extension URLError {
    /// The failure that this error reports; `nil` without the URL that failed.
    var transportFailure: PreludeTransportFailure? {
        guard let url = failingURL, let host = url.host else { return nil }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return PreludeTransportFailure(
            host: url.port.map { "\(name):\($0)" } ?? name, cause: transportCause, underlying: self)
    }

    /// A copy that names the host, if this error does not. The added URL has neither path nor query.
    func naming(origin: String) -> URLError {
        guard failingURL?.host == nil, let url = URL(string: origin) else { return self }
        var info = errorUserInfo
        info[NSURLErrorFailingURLErrorKey] = url
        return URLError(code, userInfo: info)
    }

    /// Whether it says that the current task was cancelled. The same code without that is a failure, for example of a
    /// transport that rejects a certificate.
    var isOfCancelledTask: Bool { code == .cancelled && Task.isCancelled }

    private var transportCause: PreludeTransportFailure.Cause {
        switch code {
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed: .offline
        case .cannotFindHost, .dnsLookupFailed: .nameNotFound
        case .cannotConnectToHost: .refused
        case .networkConnectionLost: .connectionLost
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot:
            .untrustedCertificate
        case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired: .secureConnectionFailed
        case .appTransportSecurityRequiresSecureConnection: .plainHTTPForbidden
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
            .dataLengthExceedsMaximum, .zeroByteResource:
            .invalidResponse
        case .timedOut: .timeout
        default: causeOfUnknownCode
        }
    }

    /// The cause in the text of curl. FoundationNetworking has no code for errors of TLS, only `unknown` with this text.
    private var causeOfUnknownCode: PreludeTransportFailure.Cause {
        guard code == .unknown, let text = errorUserInfo[NSLocalizedDescriptionKey] as? String else { return .other }
        if text.contains("certificate") { return .untrustedCertificate }
        return text.contains("SSL") || text.contains("TLS") ? .secureConnectionFailed : .other
    }
}
