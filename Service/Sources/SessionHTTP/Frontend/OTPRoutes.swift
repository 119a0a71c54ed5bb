import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// Sends, resends and checks one-time codes of logins and step-ups.
struct OTPRoutes: Sendable {
    let login: OTPLogin
    let stepUp: StepUp
    let environment: ServiceEnvironment

    @Sendable func start(_ request: Request, context: AppContext) async throws -> Response {
        try await start(try await request.decode(StartOTPRequest.self), request, context)
    }

    func start(_ body: StartOTPRequest, _ request: Request, _ context: AppContext) async throws -> Response {
        try TextLimit.check(body.loginConfigID, "login_config_id")
        try TextLimit.check(body.dispatchID, "dispatch_id")
        if let challengeToken = body.challengeToken {
            guard body.identifier == nil else {
                throw Refusal.invalidField("identifier", "must not be set together with challenge_token")
            }
            try await stepUp.sendCode(
                app: context.app, challengeToken: challengeToken, client: context.client.facts,
                dispatchID: body.dispatchID)
            return .noContent
        }
        guard let identifier = body.identifier else {
            throw Refusal.invalidField("identifier", "is required if challenge_token is not set")
        }
        let token = try await login.start(
            app: context.app,
            identifier: try CanonicalIdentifier(type: identifier.type, value: identifier.value),
            loginConfigID: body.loginConfigID, codeChallenge: body.codeChallenge,
            deviceToken: context.app.deviceToken(in: request), client: context.client.facts,
            dispatchID: body.dispatchID, source: context.client.source)
        var response = Response.noContent
        response.headers.set(.verificationToken, to: token)
        let cookies = AppCookies(app: context.app)
        let limits = context.app.settings.otpLimits
        cookies.setVerificationToken(token, seconds: limits.verificationLifetime, on: &response)
        if context.client.isBrowser, context.client.device.id == nil {
            cookies.setDeviceID(RandomUUID.make(from: environment.randomBytes(16)), on: &response)
        }
        return response
    }

    @Sendable func retry(_ request: Request, context: AppContext) async throws -> Response {
        try await login.resend(
            app: context.app, token: try verificationToken(request, context.app),
            deviceToken: context.app.deviceToken(in: request), client: context.client.facts,
            source: context.client.source)
        return .noContent
    }

    @Sendable func check(_ request: Request, context: ProofBoundContext) async throws -> Response {
        let body = try await request.decode(CheckOTPRequest.self)
        if let challengeToken = body.challengeToken {
            let next = try await stepUp.check(
                app: context.app, challengeToken: challengeToken, code: body.code, proof: context.proof,
                refreshToken: try context.refreshToken(in: request))
            return try .json(ChallengeResponse(challengeToken: next))
        }
        let token = try await checkLogin(body, request, context)
        return .json(members: ChallengeResponse(challengeToken: token).members)
    }

    /// - Parameter startsSession: Whether the caller starts the session at once.
    /// - Returns: The challenge token of the login.
    func checkLogin(
        _ body: CheckOTPRequest, _ request: Request, _ context: ProofBoundContext, startsSession: Bool = false
    ) async throws -> String {
        try await login.check(
            app: context.app, token: try verificationToken(request, context.app), code: body.code,
            deviceToken: context.app.deviceToken(in: request), source: context.client.source,
            startsSession: startsSession)
    }

    /// The token of the header, otherwise of the cookie.
    private func verificationToken(_ request: Request, _ app: AppRuntime) throws -> String {
        let headers = request.headers[values: .verificationToken]
        guard headers.count <= 1 else {
            throw Refusal.invalidField(HeaderName.verificationToken, "must not be repeated")
        }
        guard let token = headers.first ?? AppCookies(app: app).verificationToken(in: request), !token.isEmpty else {
            throw Refusal.invalidVerificationToken
        }
        return token
    }
}
