public import Foundation

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
