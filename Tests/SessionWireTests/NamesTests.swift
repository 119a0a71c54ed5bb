import SessionWire
import Testing

/// Names that clients and proxies depend on. They must not change.
@Suite("Wire: paths, headers, cookies")
struct NamesTests {
    @Test("The paths of the frontend API and the well-known documents are fixed")
    func paths() {
        #expect(
            FrontendPath.allCases.map(\.rawValue) == [
                "/v1/session/otp", "/v1/session/otp/retry", "/v1/session/otp/check",
                "/v1/session/login/otp", "/v1/session/login/otp/retry", "/v1/session/login/otp/check",
                "/v1/session/login/email/password", "/v1/session/login/passkey/begin",
                "/v1/session/login/passkey/finish", "/v1/session/login/finalize", "/v1/session/refresh",
                "/v1/session/revoke", "/v1/session/me/list", "/v1/session/me/revoke", "/v1/session/me/identifiers",
                "/v1/session/me/password/reset", "/v1/session/me/passkeys",
                "/v1/session/me/passkeys/register/begin", "/v1/session/me/passkeys/register/finish",
                "/v1/session/me/passkeys/{credential_id}", "/v1/session/password/compliancy",
                "/v1/session/stepup/request", "/v1/session/stepup/continue", "/v1/session/migration",
                "/.well-known/jwks.json", "/.well-known/step-up-jwks.json",
                "/.well-known/oauth-authorization-server", "/.well-known/apple-app-site-association",
                "/.well-known/assetlinks.json", "/.well-known/webauthn",
            ])
    }

    @Test("The header names are fixed and have their canonical spelling")
    func headers() {
        #expect(HeaderName.dpop == "DPoP")
        #expect(HeaderName.dpopNonce == "DPoP-Nonce")
        #expect(HeaderName.refreshToken == "X-Refresh-Token")
        #expect(HeaderName.refreshTokenExpiresAt == "X-Refresh-Token-Expires-At")
        #expect(HeaderName.verificationToken == "X-Verification-Token")
        #expect(HeaderName.trustedDevice == "X-Trusted-Device")
        #expect(HeaderName.deviceID == "X-Device-Id")
        #expect(HeaderName.requestID == "X-Request-Id")
    }

    @Test("Every cookie name contains the app's id")
    func cookies() {
        #expect(CookieName.hostPrefix + CookieName.refresh(appID: "abcdefg") == "__Host-refresh_abcdefg")
        #expect(
            CookieName.hostPrefix + CookieName.verification(appID: "abcdefg") == "__Host-verification-login_abcdefg")
        #expect(CookieName.hostPrefix + CookieName.device(appID: "abcdefg") == "__Host-did_abcdefg")
        #expect(CookieName.hostPrefix + CookieName.trustedDevice(appID: "abcdefg") == "__Host-device_abcdefg")
    }
}
