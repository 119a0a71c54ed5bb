import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import SessionWire

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
