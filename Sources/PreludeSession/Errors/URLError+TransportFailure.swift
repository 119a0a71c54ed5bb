internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLError {
    /// The failure that this error reports; `nil` without the URL that failed.
    var transportFailure: TransportFailure? {
        guard let url = failingURL, let host = url.host else { return nil }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return TransportFailure(
            host: url.port.map { "\(name):\($0)" } ?? name, cause: transportCause, underlying: self)
    }

    /// A copy that names the host, if this error does not. The added URL has neither path nor query.
    func naming(origin: String) -> URLError {
        guard failingURL?.host == nil, let url = URL(string: origin) else { return self }
        var info = errorUserInfo
        info[NSURLErrorFailingURLErrorKey] = url
        return URLError(code, userInfo: info)
    }

    private var transportCause: TransportFailure.Cause {
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
        default: .other
        }
    }
}
