/// The header names of the protocol, as they are sent. Receivers compare names without regard to case (RFC 9110 §5.1).
package enum HeaderName {
    package static let dpop = "DPoP"
    package static let dpopNonce = "DPoP-Nonce"
    package static let refreshToken = "X-Refresh-Token"
    package static let refreshTokenExpiresAt = "X-Refresh-Token-Expires-At"
    package static let verificationToken = "X-Verification-Token"
    /// The token of a device on which a user has signed in before.
    package static let trustedDevice = "X-Trusted-Device"
    package static let deviceID = "X-Device-Id"
    package static let requestID = "X-Request-Id"
}
