internal import SessionTokens

/// An origin as browsers write it into `Origin` (RFC 6454 §6.2, WHATWG URL). Origins are compared as texts, so another form of
/// the same origin would match no request.
enum BrowserOrigin {
    /// Whether a page has this origin, and may have it: with plain http, everybody on the way could change the page.
    static func isAllowed(_ text: String) -> Bool {
        guard text.utf8.count <= 270, let target = TargetURI(text), target.origin == text, isHost(target.host) else {
            return false
        }
        return text.hasPrefix("https:") || IPNetwork.isLoopback(host: target.host)
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return IPNetwork.bytes(of: String(host.dropFirst().dropLast())).map(literal) == host
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, host.utf8.count <= 253, labels.allSatisfy(AppSettingsChange.isLabel) else {
            return false
        }
        // Browsers read a name whose last label is a number as an IPv4 address.
        guard last.allSatisfy(\.isNumber) || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit) else {
            return true
        }
        return IPNetwork.bytes(of: host)?.map(String.init).joined(separator: ".") == host
    }

    /// The IPv6 address in brackets. The first of the longest runs of zeros, two at least, is left out (RFC 5952 §4.2).
    private static func literal(_ address: [UInt8]) -> String {
        let bytes = address.count == 4 ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address : address
        let pieces = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var gap = 0..<1
        for start in pieces.indices {
            let length = pieces[start...].prefix { $0 == 0 }.count
            if length > gap.count { gap = start..<start + length }
        }
        func text(_ pieces: ArraySlice<UInt16>) -> String {
            pieces.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard gap.count > 1 else { return "[" + text(pieces[...]) + "]" }
        return "[" + text(pieces[..<gap.lowerBound]) + "::" + text(pieces[gap.upperBound...]) + "]"
    }
}
