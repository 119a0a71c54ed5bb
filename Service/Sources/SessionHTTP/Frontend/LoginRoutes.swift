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
            return try .json(ChallengeResponse(next))
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

/// Password login, password change, and the password rules.
struct PasswordRoutes: Sendable {
    let login: PasswordLogin
    let change: PasswordChange

    @Sendable func login(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(PasswordLoginRequest.self)
        try TextLimit.check(body.dispatchID, "dispatch_id")
        let challenge = try await login.login(
            app: context.app,
            identifier: try CanonicalIdentifier(
                type: IdentifierType.emailAddress.rawValue, value: body.identifier),
            password: body.password, deviceToken: context.app.deviceToken(in: request),
            source: context.client.source)
        return try .json(ChallengeResponse(challengeToken: challenge))
    }

    @Sendable func reset(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(ResetPasswordRequest.self)
        try await change.change(to: body.password, by: context.caller, app: context.app)
        return .noContent
    }

    @Sendable func compliancy(_ request: Request, context: AppContext) async throws -> Response {
        try .json(PasswordCompliancy(try login.policy(app: context.app)))
    }
}

/// Login with a credential of the system that an app migrates from.
struct MigrationRoutes: Sendable {
    let login: MigrationLogin

    @Sendable func migrate(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(MigrationRequest.self)
        try TextLimit.check(body.dispatchID, "dispatch_id")
        let challenge = try await login.login(
            app: context.app, token: body.token, codeChallenge: body.codeChallenge, source: context.client.source)
        return try .json(ChallengeResponse(challengeToken: challenge))
    }
}

/// The login by code of the older web generation: the check of the code starts the session, without a challenge token
/// between them. Refresh and logout are the same as for other browsers.
struct WebLoginRoutes: Sendable {
    let otp: OTPRoutes
    let tokens: TokenRoutes

    @Sendable func start(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(StartOTPRequest.self)
        // The check has no `code_verifier`, so the right code would be spent without a session.
        guard body.codeChallenge == nil else {
            throw Refusal.invalidField("code_challenge", "is not supported by this call; use /v1/session/otp")
        }
        return try await otp.start(body, request, context)
    }

    @Sendable func check(_ request: Request, context: ProofBoundContext) async throws -> Response {
        // The code is not spent if the session could not start afterwards.
        try tokens.sessions.checkStart(
            app: context.app, proof: context.proof, proofIsOptional: context.client.isBrowser)
        _ = try context.refreshToken(in: request)
        let challenge = try await otp.checkLogin(
            try await request.decode(CheckOTPRequest.self), request, context, startsSession: true)
        var response = Response.json(members: [:])
        tokens.set(try await tokens.start(challenge, codeVerifier: nil, request, context), on: &response, context)
        return response
    }
}

extension ChallengeResponse {
    /// The members of its JSON, as `Encodable` writes them.
    var members: [String: JSONValue] { ["challenge_token": .string(challengeToken)] }
}

extension CanonicalIdentifier {
    /// Reads an identifier of a request.
    ///
    /// - Parameters:
    ///   - field: The name of the body's field, for the error.
    ///   - isSearched: Whether it is only searched for, so that characters of earlier versions are accepted.
    init(_ identifier: Identifier, field: String = "identifier", isSearched: Bool = false) throws(Refusal) {
        self = try CanonicalIdentifier(
            type: identifier.type, value: identifier.value, field: field, isSearched: isSearched)
    }
}

extension PasswordCompliancy {
    /// The password rules as both APIs show them.
    init(_ policy: PasswordPolicy) {
        self.init(
            minLength: policy.minLength, maxLength: policy.maxLength, uppercase: policy.uppercase,
            lowercase: policy.lowercase, numbers: policy.numbers, symbols: policy.symbols)
    }
}
