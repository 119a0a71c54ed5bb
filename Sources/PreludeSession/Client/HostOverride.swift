internal import Foundation
internal import SessionTokens

/// The host that the service is known by, where the endpoint's is another one.
enum HostOverride {
    /// What a name, an address and a port are made of (RFC 3986 §3.2.2 and §3.2.3).
    private static let allowed = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]")

    /// Refuses what could go neither into `Host` nor into a proof, before any call.
    ///
    /// - Throws: `PreludeSessionError.invalidConfiguration` for anything but `host` or `host:port`.
    static func check(_ text: String) throws(PreludeSessionError) {
        guard text.unicodeScalars.allSatisfy(allowed.contains), TargetURI("https://" + text)?.path == "/" else {
            throw .invalidConfiguration(
                "hostOverride must be a host such as app1234.session.example.com, with or without a port")
        }
    }
}
