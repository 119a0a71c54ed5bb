import Hummingbird
import SessionDomain
import SessionWire

/// The sessions of one user in the management API.
@available(service, *)
struct UserSessionRoutes: Sendable {
    let users: UserManagement

    private struct RevokedCountBody: Encodable { let revoked: Int }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let page = try Page(request)
        let (sessions, total) = try await users.sessions(
            of: try context.userID, app: context.appID, limit: page.limit, offset: page.offset)
        return try .json(
            SessionListResponse(
                sessions: sessions.map(SessionView.init), total: total, limit: page.limit, offset: page.offset))
    }

    @Sendable func revoke(_ request: Request, context: OperatorContext) async throws -> Response {
        let id = context.parameters.get("session_id") ?? ""
        let revoked = try await users.endSessions(.one(id), of: try context.userID, app: context.appID)
        guard revoked == 1 else { throw Refusal.notFound("the user has no such session") }
        return .noContent
    }

    @Sendable func revokeAll(_ request: Request, context: OperatorContext) async throws -> Response {
        let revoked = try await users.endSessions(.all, of: try context.userID, app: context.appID)
        return try .json(RevokedCountBody(revoked: revoked))
    }
}
