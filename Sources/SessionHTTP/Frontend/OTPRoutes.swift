import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// Signing in with a code: start, resend, check.
struct OTPRoutes: Sendable {
    let login: OTPLogin
    let environment: ServiceEnvironment

    @Sendable func start(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(StartOTPRequest.self)
        try body.checkLengths()
        guard let identifier = body.identifier, body.challengeToken == nil else {
            throw Refusal.invalidField("identifier", "is required")
        }
        let token = try await login.start(
            app: context.app,
            identifier: try CanonicalIdentifier(type: identifier.type, value: identifier.value),
            loginConfigID: body.loginConfigID, codeChallenge: body.codeChallenge, source: context.client.source)
        var response = Response.noContent
        response.headers.set(HeaderName.verificationToken, to: token)
        let limits = context.app.app.otpLimits
        let cookies = AppCookies(app: context.app)
        cookies.setVerificationToken(
            token, seconds: limits.codeLifetime * limits.sendsPerVerification, on: &response)
        if context.client.isBrowser, context.client.device.id == nil, cookies.deviceID(in: request) == nil {
            cookies.setDeviceID(RandomUUID.make(from: environment.randomBytes(16)), on: &response)
        }
        return response
    }

    @Sendable func retry(_ request: Request, context: AppContext) async throws -> Response {
        try await login.resend(app: context.app, token: try verificationToken(request, context))
        return .noContent
    }

    @Sendable func check(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(CheckOTPRequest.self)
        let challenge = try await login.check(
            app: context.app, token: try verificationToken(request, context), code: body.code)
        return try .json(ChallengeResponse(challengeToken: challenge))
    }

    /// The header goes before the cookie.
    private func verificationToken(_ request: Request, _ context: AppContext) throws -> String {
        let header = request.headers.single(HeaderName.verificationToken)
        guard let token = header ?? AppCookies(app: context.app).verificationToken(in: request), !token.isEmpty else {
            throw Refusal.invalidVerificationToken
        }
        return token
    }
}

extension StartOTPRequest {
    func checkLengths() throws {
        try TextLimit.check(loginConfigID, "login_config_id")
        try TextLimit.check(dispatchID, "dispatch_id")
    }
}

/// The length of short texts that are only passed on or looked up.
enum TextLimit {
    static func check(_ text: String?, _ field: String) throws {
        guard (text?.utf8.count ?? 0) <= 256 else {
            throw Refusal.invalidField(field, "must have at most 256 bytes")
        }
    }
}
