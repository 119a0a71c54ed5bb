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

/// The header fields that authorize one request to the app's backend.
struct AppAuthorization: Sendable {
    /// The value of `Authorization`.
    let authorization: String
    /// The value of `DPoP`, for a token that is bound to the device key.
    var proof: String?
}

extension URLRequest {
    /// Sets the fields that authorize this request. They replace fields with the same names.
    ///
    /// On Linux it replaces all fields at once. There `setValue` compares each character of a value, which takes as long as
    /// the signature of the proof: 23 µs for an access token and 34 µs for a proof, instead of 0.9 µs for both.
    mutating func setFields(_ fields: AppAuthorization) {
        let added = [("Authorization", fields.authorization), ("DPoP", fields.proof)]
        #if canImport(FoundationNetworking)
            if added.allSatisfy({ Self.isVisibleASCII($0.1 ?? "") }) {
                var all = allHTTPHeaderFields ?? [:]
                for (name, value) in added {
                    guard let value else { continue }
                    for other in all.keys where other.lowercased() == name.lowercased() { all[other] = nil }
                    all[name] = value
                }
                allHTTPHeaderFields = all
                return
            }
        #endif
        for case (let name, let value?) in added { setValue(value, forHTTPHeaderField: name) }
    }

    /// Any other value is left to Foundation, which rejects values that would begin another field (RFC 9110 §5.5).
    private static func isVisibleASCII(_ value: String) -> Bool {
        var value = value
        // Without a way out of the loop, the compiler compares many bytes at once.
        let others: UInt8 = value.withUTF8 { $0.reduce(0) { $0 | ($1 &- 0x20 > 0x5E ? 1 : 0) } }
        return others == 0
    }
}
