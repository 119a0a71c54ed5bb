import HTTPTypes
import SessionWire

/// The header names that HTTPTypes does not have. A name is parsed and converted to lower case once, not for each request.
extension HTTPField.Name {
    static let dpop = known(HeaderName.dpop)
    static let dpopNonce = known(HeaderName.dpopNonce)
    static let refreshToken = known(HeaderName.refreshToken)
    static let refreshTokenExpiresAt = known(HeaderName.refreshTokenExpiresAt)
    static let verificationToken = known(HeaderName.verificationToken)
    static let trustedDevice = known(HeaderName.trustedDevice)
    static let deviceID = known(HeaderName.deviceID)
    static let requestID = known(HeaderName.requestID)

    static let secFetchSite = known("Sec-Fetch-Site")
    /// RFC 7239 §4.
    static let forwarded = known("Forwarded")
    static let forwardedFor = known("X-Forwarded-For")
    static let forwardedHost = known("X-Forwarded-Host")
    static let forwardedMethod = known("X-Forwarded-Method")
    static let forwardedProto = known("X-Forwarded-Proto")
    static let forwardedURI = known("X-Forwarded-Uri")

    static let userID = known("X-User-Id")
    static let sessionID = known("X-Session-Id")
    static let scopes = known("X-Scopes")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not the name of a header") }
        return name
    }
}
