/// The paths of the frontend API, each written once.
package enum FrontendPath: String, Sendable, CaseIterable {
    case otp = "/v1/session/otp"
    case otpRetry = "/v1/session/otp/retry"
    case otpCheck = "/v1/session/otp/check"
    case passwordLogin = "/v1/session/login/email/password"
    case finalize = "/v1/session/login/finalize"
    case refresh = "/v1/session/refresh"
    case revoke = "/v1/session/revoke"
    case sessions = "/v1/session/me/list"
    case revokeSessions = "/v1/session/me/revoke"
    case identifiers = "/v1/session/me/identifiers"
    case passwordCompliancy = "/v1/session/password/compliancy"
    case jwks = "/.well-known/jwks.json"
    case stepUpJWKS = "/.well-known/step-up-jwks.json"
}
