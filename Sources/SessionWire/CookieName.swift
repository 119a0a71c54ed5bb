/// The cookie names of the protocol. Each name contains the app's id.
public enum CookieName {
    public static func refresh(appID: String) -> String { "refresh_\(appID)" }
    public static func verification(appID: String) -> String { "verification-login_\(appID)" }
    public static func trustedDevice(appID: String) -> String { "device_\(appID)" }
    public static func device(appID: String) -> String { "did_\(appID)" }

    /// The prefix that binds a cookie to its host and to TLS (RFC 6265bis §4.1.3.2). Not used with plain http on loopback.
    public static let hostPrefix = "__Host-"
}
