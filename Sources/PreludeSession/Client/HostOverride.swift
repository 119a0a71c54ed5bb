internal import Foundation
internal import SessionTokens

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
