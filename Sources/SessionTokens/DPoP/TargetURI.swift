internal import Foundation

/// A normalised request target without query and fragment, as DPoP compares it (RFC 9449 §4.3 step 9).
///
/// Normalisation is syntax-based and scheme-based (RFC 3986 §6.2.2 and §6.2.3): lower-case scheme and host, no default
/// port, `/` for an empty path, no dot segments, one form of percent-encoding.
package struct TargetURI: Sendable, Hashable {
    /// `https://host[:port]`, normalised.
    package let origin: String
    package let path: String

    package var absoluteString: String { origin + path }

    /// The origin's host without a port; an IPv6 literal keeps its brackets.
    package var host: String {
        let authority = origin.drop { $0 != "/" }.dropFirst(2)
        let end = authority.last == "]" ? nil : authority.lastIndex(of: ":")
        return String(end.map { authority[..<$0] } ?? authority)
    }

    /// Parses an absolute `http` or `https` URI without user information; `nil` for any other text.
    package init?(_ text: String) {
        // Bytes, because Foundation's search converts the text to another one.
        let schemeEnd = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let scheme = text[..<schemeEnd].lowercased()
        guard let defaultPort = Self.defaultPorts[scheme], text.utf8[schemeEnd...].starts(with: "://".utf8) else {
            return nil
        }

        let rest = text[text.utf8.index(schemeEnd, offsetBy: 3)...]
        let beforeFragment = rest.prefix { $0 != "#" && $0 != "?" }
        let authority = beforeFragment.prefix { $0 != "/" }
        let path = beforeFragment.dropFirst(authority.count)
        guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")),
            authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let (host, port) = Self.split(authority)
        else { return nil }

        origin = scheme + "://" + host + (port == defaultPort ? "" : port.map { ":\($0)" } ?? "")
        guard let normalised = Self.normalise(path: path.isEmpty ? "/" : path) else { return nil }
        self.path = normalised
    }

    /// Joins a configured origin and the path of a request.
    ///
    /// `nil` if the request target is not a path (RFC 9112 §3.2): the joined text could name another host or port.
    package init?(origin: String, path: String) {
        guard path.first == "/" else { return nil }
        self.init(origin + path)
    }

    private static let defaultPorts: [String: Int] = ["http": 80, "https": 443]

    /// Splits `host[:port]`. The host may be an IPv6 literal in brackets.
    private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        let hostEnd: Substring.Index
        if authority.first == "[" {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = authority[..<hostEnd].lowercased()
        let suffix = authority[hostEnd...]
        guard !host.isEmpty else { return nil }
        if suffix.isEmpty || suffix == ":" { return (host, nil) }
        let digits = suffix.dropFirst()
        guard suffix.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65535).contains(port)
        else { return nil }
        return (host, port)
    }

    private static func normalise(path: Substring) -> String? {
        var decoded: [UInt8] = []
        var bytes = Array(path.utf8)[...]
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
        return removeDotSegments(String(decoding: decoded, as: UTF8.self))
    }

    private static func removeDotSegments(_ path: String) -> String {
        let hasDotSegment = zip(path.utf8, path.utf8.dropFirst()).contains {
            $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".")
        }
        guard hasDotSegment else { return path }
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
    package static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether the host is a loopback host. Plain http is allowed for these hosts.
    package var isLoopback: Bool { Self.loopbackHosts.contains(host) }
}
