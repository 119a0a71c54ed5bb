/// The header names of the protocol, in lower case.
package enum HeaderName {
    package static let dpop = "dpop"
    package static let dpopNonce = "dpop-nonce"
    package static let refreshToken = "x-refresh-token"
    package static let refreshTokenExpiresAt = "x-refresh-token-expires-at"
    package static let verificationToken = "x-verification-token"
    /// The token of a device on which a user has signed in before.
    package static let trustedDevice = "x-trusted-device"
    package static let deviceID = "x-device-id"
    package static let requestID = "x-request-id"
}
