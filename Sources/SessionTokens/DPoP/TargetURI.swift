/// A normalised request target without query and fragment, as DPoP compares it (RFC 9449 §4.3 step 9).
///
/// Normalisation is syntax-based and scheme-based (RFC 3986 §6.2.2 and §6.2.3): lower-case scheme and host, no default
/// port, `/` for an empty path, no dot segments, one form of percent-encoding.
public struct TargetURI: Sendable, Hashable {
    /// `https://host[:port]`, normalised.
    public let origin: String
    public let path: String

    public var absoluteString: String { origin + path }

    /// Whether a text has exactly the bytes of `absoluteString`. Such a text names this target.
    func isWritten(as text: String) -> Bool {
        let (text, originLength) = (text.utf8, origin.utf8.count)
        return text.count == originLength + path.utf8.count && text.starts(with: origin.utf8)
            && text.dropFirst(originLength).elementsEqual(path.utf8)
    }

    /// The origin's host without a port; an IPv6 literal keeps its brackets.
    public var host: String {
        let authority = origin.drop { $0 != "/" }.dropFirst(2)
        let end = authority.last == "]" ? nil : authority.lastIndex(of: ":")
        return String(end.map { authority[..<$0] } ?? authority)
    }

    /// Parses an absolute `http` or `https` URI without user information; `nil` for any other text.
    ///
    /// It reads bytes, not characters: each request has several targets, and characters cost ten times as much.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        // A combining character behind ? would be part of another character than ?, for readers of characters.
        guard bytes.allSatisfy({ $0 < 0x80 }), let scheme = Scheme(prefixOf: bytes) else { return nil }
        let rest = bytes[scheme.prefix.utf8.count...].prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "?") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        guard !authority.isEmpty, authority.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }),
            let (host, port) = Self.split(authority), let path = Self.normalise(path: rest[authority.endIndex...])
        else { return nil }
        let suffix = port == scheme.defaultPort ? "" : port.map { ":\($0)" } ?? ""
        origin = scheme.prefix + host + suffix
        self.path = path
    }

    /// Joins a configured origin and the path of a request.
    ///
    /// `nil` if the request target is not a path (RFC 9112 §3.2): the joined text could name another host or port.
    public init?(origin: String, path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        self.init(origin + path)
    }

    /// The targets that a path has under several origins. The path is normalised once.
    ///
    /// - Parameter origins: Normalised, as `origin` of another value.
    /// - Returns: No target if the path is not valid.
    public static func targets(ofOrigins origins: [String], path text: String) -> [TargetURI] {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/"), let path = normalise(path: Array(path)[...]) else { return [] }
        return origins.map { TargetURI(origin: $0, normalisedPath: path) }
    }

    private init(origin: String, normalisedPath path: String) {
        self.origin = origin
        self.path = path
    }

    private enum Scheme: String, CaseIterable {
        case http, https

        /// Finds the scheme of a URI, in upper or lower case (RFC 3986 §3.1).
        init?(prefixOf bytes: [UInt8]) {
            let found = Self.allCases.first { scheme in
                bytes.count >= scheme.prefix.utf8.count
                    && zip(bytes, scheme.prefix.utf8).allSatisfy { TargetURI.lowered($0) == $1 }
            }
            guard let found else { return nil }
            self = found
        }

        var prefix: String { self == .http ? "http://" : "https://" }
        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Splits `host[:port]`. The host may be an IPv6 literal in brackets.
    private static func split(_ authority: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
        let hostEnd: Int
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = bracket + 1
        } else {
            hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        }
        let suffix = authority[hostEnd...]
        // Brackets are for IPv6 literals only (RFC 3986 §3.2.2).
        guard hostEnd > authority.startIndex, !authority[..<hostEnd].dropFirst().contains(UInt8(ascii: "[")) else {
            return nil
        }
        let host = String(decoding: authority[..<hostEnd].map(lowered), as: UTF8.self)
        guard let colon = suffix.first else { return (host, nil) }
        guard colon == UInt8(ascii: ":") else { return nil }
        let digits = suffix.dropFirst()
        if digits.isEmpty { return (host, nil) }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port)
        else { return nil }
        return (host, port)
    }

    private static func normalise(path: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count + 1)
        if path.isEmpty { decoded.append(UInt8(ascii: "/")) }
        var bytes = path
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                guard byte > 0x20, byte < 0x7F else { return nil }
                decoded.append(byte)
                continue
            }
            guard let high = bytes.popFirst().flatMap(hexValue), let low = bytes.popFirst().flatMap(hexValue) else {
                return nil
            }
            let value = high << 4 | low
            if URICharacter.isUnreserved(value) {
                decoded.append(value)
            } else {
                decoded += [UInt8(ascii: "%"), hexDigits[Int(high)], hexDigits[Int(low)]]
            }
        }
        let hasDotSegments = zip(decoded, decoded.dropFirst()).contains {
            $0 == (UInt8(ascii: "/"), UInt8(ascii: "."))
        }
        let path = String(decoding: decoded, as: UTF8.self)
        return hasDotSegments ? removeDotSegments(path) : path
    }

    private static func removeDotSegments(_ path: String) -> String {
        var output: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { output.append("") }
            case "..":
                _ = output.popLast()
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/")
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension TargetURI {
    /// The accepted loopback hosts, as written in a URI. Other loopback names and addresses are not accepted.
    public static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether the host is a loopback host. Plain http is allowed for these hosts.
    public var isLoopback: Bool { Self.loopbackHosts.contains(host) }
}

/// Character classes of RFC 3986.
public enum URICharacter {
    /// `ALPHA / DIGIT / "-" / "." / "_" / "~"` (RFC 3986 §2.3).
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
