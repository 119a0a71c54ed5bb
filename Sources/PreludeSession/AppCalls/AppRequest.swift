internal import Foundation
internal import HTTPTypes
internal import SessionTokens

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request to the app's own backend, in the transport's types.
struct AppRequest: Sendable {
    var head: HTTPRequest
    let body: Data?
    /// Seconds.
    let timeout: TimeInterval
    let url: URL
    /// The URL without query and fragment, for `htu` of a proof (RFC 9449 §4.2).
    let target: TargetURI

    /// - Throws: `PreludeSessionError.invalidConfiguration` for a URL that must not receive a token, and for a body stream.
    init(_ request: URLRequest) throws {
        guard let url = request.url, let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty,
            let target = TargetURI(url.absoluteString)
        else { throw PreludeSessionError.invalidConfiguration("the request has no http or https URL") }
        guard scheme == "https" || target.isLoopback else {
            throw PreludeSessionError.invalidConfiguration("an access token is sent over https only; use an https URL")
        }
        guard request.httpBodyStream == nil else {
            throw PreludeSessionError.invalidConfiguration("a body stream cannot be sent twice; use httpBody")
        }
        guard let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
            throw PreludeSessionError.invalidConfiguration("the request has no valid method")
        }
        var fields = HTTPFields()
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        head = HTTPRequest(
            method: method, scheme: scheme, authority: Self.authority(url, host: host), path: Self.path(url),
            headerFields: fields)
        body = request.httpBody
        timeout = request.timeoutInterval
        self.url = url
        self.target = target
    }

    private static func authority(_ url: URL, host: String) -> String {
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return url.port.map { "\(bracketed):\($0)" } ?? bracketed
    }

    /// Path and query with their original percent-encoding.
    private static func path(_ url: URL) -> String {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "/" }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        return path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}
