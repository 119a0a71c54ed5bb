internal import Foundation
internal import SessionTokens

/// The URL of the session service.
public enum Endpoint: Sendable, Hashable {
    /// A development service on this device, `http://localhost:8080`.
    case `default`
    /// An origin such as `https://app1234.session.example.com`. Plain http is allowed for loopback only.
    case custom(String)

    /// - Throws: `PreludeSessionError.invalidConfiguration` for anything but an https origin or a loopback http origin.
    func origin() throws(PreludeSessionError) -> String {
        let text =
            switch self {
            case .default: "http://localhost:8080"
            case .custom(let text): text
            }
        guard let target = TargetURI(text), target.path == "/", !text.contains("?"), !text.contains("#") else {
            throw .invalidConfiguration("the endpoint must be an origin, such as https://session.example.com")
        }
        guard target.origin.hasPrefix("https://") || target.isLoopback else {
            throw .invalidConfiguration(
                "the endpoint must begin with https://; plain http is allowed for loopback only")
        }
        return target.origin
    }
}

/// The service's public host, if it differs from the endpoint's.
enum HostOverride {
    /// The characters of names, addresses and ports (RFC 3986 §3.2.2 and §3.2.3).
    private static let allowed = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]")

    /// Rejects a host that is invalid in `Host` or in a proof, before any request.
    ///
    /// - Throws: `PreludeSessionError.invalidConfiguration` for anything but `host` or `host:port`.
    static func check(_ text: String) throws(PreludeSessionError) {
        guard text.unicodeScalars.allSatisfy(allowed.contains), TargetURI("https://" + text)?.path == "/" else {
            throw .invalidConfiguration(
                "hostOverride must be a host such as app1234.session.example.com, with or without a port")
        }
    }
}

/// The name of an endpoint in the names of its records, locks and device key. Different endpoints have different names.
enum EndpointName {
    /// Returns `host`, `host:port`, or `host_override+space`.
    ///
    /// In hosts any other character than letters, digits, `-`, `.`, `:`, `[` and `]` is escaped, so the separators `_` and `+`
    /// are unambiguous. Plain http is allowed for loopback only and usual there. So a name with `https:` at its start is one
    /// of https on loopback, and no other name contains the scheme.
    ///
    /// - Parameters:
    ///   - origin: As `Endpoint.origin()` returns it.
    ///   - space: As `CredentialSpace.suffix(_:)` returns it.
    static func of(origin: String, hostOverride: String?, space: String) -> String {
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        let isUnusual = origin.hasPrefix("https:") && TargetURI(origin)?.isLoopback ?? false
        return (isUnusual ? "https:" : "") + escaped(host) + (hostOverride.map { "_" + escaped($0) } ?? "") + space
    }

    private static func escaped(_ host: String) -> String {
        host.utf8.map { byte in
            FileName.isLetterOrDigit(byte) || "-.:[]".utf8.contains(byte)
                ? String(Unicode.Scalar(byte)) : FileName.escaped(byte)
        }.joined()
    }
}

/// The names of credential spaces. Each space has its own records, locks and device key in a store.
enum CredentialSpace {
    private static let maximumLength = 64

    /// The end of the endpoint's name in stored names, such as `+work`. Empty without a space, so that records of
    /// earlier versions keep their names.
    ///
    /// `EndpointName` escapes `+` in hosts, so no other endpoint has the same names. Upper-case letters are rejected, because
    /// some file systems do not distinguish them.
    ///
    /// - Throws: `PreludeSessionError.invalidConfiguration` for an invalid name.
    static func suffix(_ name: String?) throws(PreludeSessionError) -> String {
        guard let name else { return "" }
        guard (1...maximumLength).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed) else {
            throw .invalidConfiguration(
                "credentialSpace must have 1 to \(maximumLength) lower-case letters, digits, - and _")
        }
        return "+" + name
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
