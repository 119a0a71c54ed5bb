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
