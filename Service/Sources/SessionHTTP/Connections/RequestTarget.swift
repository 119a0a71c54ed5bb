import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import SessionDomain
import SessionTokens
import SessionWire

/// Reads the host and the target of a request so that every part of a chain of proxies finds the same ones (RFC 9112
/// §3.2), and rejects a request whose end they could find at different places (§6.1).
enum RequestTarget {
    /// Returns the request with its target in origin form.
    ///
    /// - Throws: `Refusal.invalidField` for a method that is no token, which NIO's codec of HTTP/2 accepts; for a target that is
    ///   not ASCII; for a header with too many combining marks in a row
    ///   (`CombiningMarks`), which later code would compare; for a missing, repeated or invalid `Host`; for
    ///   `Transfer-Encoding` before HTTP/1.1, with another coding than `chunked`, or beside `Content-Length`; and for a
    ///   target that names another host. RFC 9112 §3.2.2 lets a server prefer the target; a proxy may have chosen by `Host`,
    ///   so both must agree.
    static func normalized(_ head: HTTPRequestHead) throws(Refusal) -> HTTPRequestHead {
        if case .RAW(let method) = head.method, HTTPRequest.Method(method) == nil {
            throw .invalidField("the method", "must be a token")
        }
        guard head.uri.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .invalidField("the request target", "must be ASCII; percent-encode other characters")
        }
        if let header = head.headers.first(where: { !CombiningMarks.areBounded(in: $0.value) }) {
            throw .invalidField(header.name, "has more than \(CombiningMarks.maximum) combining marks in a row")
        }
        guard head.version.major > 1 || head.version == .http1_1 || !head.headers.contains(name: "transfer-encoding")
        else {
            throw .invalidField("Transfer-Encoding", "needs HTTP/1.1")
        }
        let codings = head.headers["transfer-encoding"]
        // The decoder ignores an empty coding, and a proxy may not.
        guard codings.allSatisfy({ $0.lowercased() == "chunked" }) else {
            throw .invalidField("Transfer-Encoding", "must be chunked")
        }
        guard codings.isEmpty || !head.headers.contains(name: "content-length") else {
            throw .invalidField("Transfer-Encoding", "must not be sent with Content-Length")
        }
        let hosts = head.headers["host"]
        guard hosts.count <= 1 else { throw .invalidField("Host", "must not be repeated") }
        guard !hosts.isEmpty || head.version != .http1_1 else { throw .invalidField("Host", "is missing") }
        let host = hosts.first
        if let host, !isAuthority(host) { throw .invalidField("Host", "must be a host with an optional port") }
        if head.uri.hasPrefix("/") || (head.uri == "*" && head.method == .OPTIONS) { return head }

        guard let target = AbsoluteForm(head.uri), !target.authority.isEmpty, isAuthority(target.authority) else {
            throw .invalidField("the request target", "must be a path, or a URL with http or https")
        }
        if let host, target.normalized(host) != target.normalized(target.authority) {
            throw .invalidField("the request target", "must name the same host as Host")
        }
        var head = head
        if host == nil { head.headers.add(name: "Host", value: target.authority) }
        head.uri = target.path
        return head
    }

    /// Whether a text has only characters of `uri-host [ ":" port ]` (RFC 3986 §3.2.2). User information is not allowed.
    private static func isAuthority(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~!$&'()*+;=:[]%".utf8.contains(byte)
            }
        }
    }
}

/// A request target in absolute form (RFC 9112 §3.2.2).
private struct AbsoluteForm {
    let defaultPort: String
    let authority: String
    /// The path and the query.
    let path: String

    init?(_ target: String) {
        let scheme = target.prefix(8).lowercased()
        let rest: Substring
        if scheme == "https://" {
            (rest, defaultPort) = (target.dropFirst(8), ":443")
        } else if scheme.hasPrefix("http://") {
            (rest, defaultPort) = (target.dropFirst(7), ":80")
        } else {
            return nil
        }
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        authority = String(rest[..<end])
        let path = rest[end...]
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// A host for comparison: in lower case, without the default port.
    func normalized(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasSuffix(defaultPort) ? String(host.dropLast(defaultPort.count)) : host
    }
}

/// Decides which host a request of HTTP/2 names (RFC 9113 §8.3.1).
package enum RequestAuthority {
    /// Returns the value that `Host` must have in HTTP/1.1.
    ///
    /// - Parameters:
    ///   - authorities: The values of `:authority`.
    ///   - hosts: The values of `Host`. It is used if there is no `:authority`.
    ///   - scheme: The value of `:scheme`. Its default port may be written or not.
    /// - Throws: `InvalidRequest` if the request names no host, more than one, or different ones.
    package static func host(
        authorities: [String], hosts: [String], scheme: String
    ) throws(InvalidRequest) -> String {
        guard hosts.count <= 1 else { throw InvalidRequest("Host must not be repeated") }
        guard authorities.count <= 1 else { throw InvalidRequest(":authority must not be repeated") }
        // A client that translates a request without a host writes no `:authority`. An empty one has no meaning.
        guard let authority = authorities.first ?? hosts.first, !authority.isEmpty else {
            throw InvalidRequest(":authority is missing")
        }
        if let host = hosts.first, normalized(host, scheme) != normalized(authority, scheme) {
            throw InvalidRequest(":authority and Host must name the same host")
        }
        return authority
    }

    /// A host for comparison: in lower case, without the default port.
    private static func normalized(_ host: String, _ scheme: String) -> String {
        let host = host.lowercased()
        let port = scheme.lowercased() == "http" ? ":80" : ":443"
        return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }
}

/// A request that is malformed. The client gets 400 with the text.
package struct InvalidRequest: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }
}

/// A request that a handler before `ConnectionHandler` has rejected. It is sent as an event instead of the request.
package struct RejectedRequest: Sendable {
    package enum Reason: Sendable, Equatable {
        case malformed(InvalidRequest)
        /// The connection has a place of the reserve, for health checks only.
        case tooManyConnections
    }

    let reason: Reason
    /// Whether the method is HEAD. Then the response has no body.
    let isHead: Bool

    package init(_ reason: Reason, isHead: Bool) {
        self.reason = reason
        self.isHead = isHead
    }
}

extension Request {
    /// Makes the request for the routes of one that NIO has decoded, whose target has origin form (`RequestTarget`).
    ///
    /// - Returns: `nil` for a method that is no token (RFC 9110 §5.6.2).
    init?(_ head: HTTPRequestHead, body: ByteBuffer) {
        guard let method = Self.method(head.method) else { return nil }
        var host: String?
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            if host == nil, name.utf8.count == 4, name.lowercased() == "host" {
                host = value
            } else if let name = KnownHeaderNames.name(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        // The scheme of a request is not used: the service's own URLs come from its configuration.
        self.init(
            head: HTTPRequest(method: method, scheme: "http", authority: host, path: head.uri, headerFields: fields),
            body: RequestBody(buffer: body))
    }

    private static func method(_ method: HTTPMethod) -> HTTPRequest.Method? {
        switch method {
        case .GET: .get
        case .POST: .post
        default: HTTPRequest.Method(method.rawValue)
        }
    }
}

/// The names of the headers that most requests have. To parse a name, and to convert it to lower case, takes longer than to find
/// it.
private enum KnownHeaderNames {
    /// The names of each length in bytes. Few names have the same length, and Swift compares names of up to 15 bytes like
    /// numbers. To hash a name takes longer.
    private static let namesOfLength: [[(spelling: String, name: HTTPField.Name)]] = {
        let names = [
            "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Connection", "Content-Length",
            "Content-Type", "Cookie", "Origin", "Sec-Fetch-Mode", "Sec-Fetch-Site", "User-Agent", "X-Forwarded-For",
            HeaderName.deviceID, HeaderName.dpop, HeaderName.refreshToken, HeaderName.trustedDevice,
        ]
        var namesOfLength: [[(spelling: String, name: HTTPField.Name)]] = Array(repeating: [], count: 24)
        for spelling in Set(names + names.map { $0.lowercased() }) {
            guard let name = HTTPField.Name(spelling), spelling.utf8.count < namesOfLength.count else { continue }
            namesOfLength[spelling.utf8.count].append((spelling, name))
        }
        return namesOfLength
    }()

    /// - Returns: `nil` for a name that is no token.
    static func name(_ text: String) -> HTTPField.Name? {
        let length = text.utf8.count
        if length < namesOfLength.count {
            for known in namesOfLength[length] where known.spelling == text { return known.name }
        }
        return HTTPField.Name(text)
    }
}

/// What a request asks of its connection.
extension HTTPRequestHead {
    /// Whether no further request can be read after this one.
    ///
    /// NIO's decoder expects another protocol after `Upgrade` and CONNECT (RFC 9110 §7.8, §9.3.6). It keeps all further bytes
    /// and decodes none. The service has no other protocol, so it answers as if nothing was asked, and closes.
    var isLast: Bool { !isKeepAlive || method == .CONNECT || asksForUpgrade }

    /// Whether the client may wait for 100 before it sends the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool {
        (hasBody || version.major > 1) && headers["expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether a body follows in HTTP/1.1. HTTP/1.0 has no 100.
    private var hasBody: Bool {
        version == .http1_1
            && (headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" })
    }

    private var asksForUpgrade: Bool {
        headers.contains(name: "upgrade")
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }
}
