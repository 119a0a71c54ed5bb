internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

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
