import Hummingbird
import SessionDomain
import SessionWire

/// Signing in with a credential of the system an app comes from.
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
