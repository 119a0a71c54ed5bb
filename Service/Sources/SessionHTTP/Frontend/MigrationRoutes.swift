import Hummingbird
import SessionDomain
import SessionWire

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
