import HTTPTypes
import NIOHTTP1
import SessionDomain
import SessionTokens

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
