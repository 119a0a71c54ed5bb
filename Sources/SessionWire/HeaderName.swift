/// The header names of the protocol, in lower case.
package enum HeaderName {
    package static let dpop = "dpop"
    package static let dpopNonce = "dpop-nonce"
    package static let refreshToken = "x-refresh-token"
    package static let refreshTokenExpiresAt = "x-refresh-token-expires-at"
    package static let verificationToken = "x-verification-token"
    package static let deviceID = "x-device-id"
    package static let requestID = "x-request-id"
}
