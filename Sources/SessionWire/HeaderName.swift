/// The header names of the protocol, as they are sent. Receivers compare names without regard to case (RFC 9110 §5.1).
public enum HeaderName {
    public static let dpop = "DPoP"
    public static let dpopNonce = "DPoP-Nonce"
    public static let refreshToken = "X-Refresh-Token"
    public static let refreshTokenExpiresAt = "X-Refresh-Token-Expires-At"
    public static let verificationToken = "X-Verification-Token"
    /// The token of a device on which a user has signed in before.
    public static let trustedDevice = "X-Trusted-Device"
    public static let deviceID = "X-Device-Id"
    public static let requestID = "X-Request-Id"
}

/// The cookie names of the protocol. Each name contains the app's id.
public enum CookieName {
    public static func refresh(appID: String) -> String { "refresh_\(appID)" }
    public static func verification(appID: String) -> String { "verification-login_\(appID)" }
    public static func trustedDevice(appID: String) -> String { "device_\(appID)" }
    public static func device(appID: String) -> String { "did_\(appID)" }

    /// The prefix that binds a cookie to its host and to TLS (RFC 6265bis §4.1.3.2). Not used with plain http on loopback.
    public static let hostPrefix = "__Host-"
}
