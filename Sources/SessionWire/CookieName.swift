/// The cookie names of the protocol. Each name contains the app's id.
package enum CookieName {
    package static func refresh(appID: String) -> String { "refresh_\(appID)" }
    package static func verification(appID: String) -> String { "verification-login_\(appID)" }
    package static func trustedDevice(appID: String) -> String { "device_\(appID)" }
    package static func device(appID: String) -> String { "did_\(appID)" }

    /// The prefix that binds a cookie to its host and to TLS (RFC 6265bis §4.1.3.2). Not used with plain http on loopback.
    package static let hostPrefix = "__Host-"
}
