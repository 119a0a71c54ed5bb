import Hummingbird
import SessionDomain
import SessionWire

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
