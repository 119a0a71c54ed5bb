import Hummingbird
import SessionDomain
import SessionWire

/// The sessions of one user in the management API.
@available(service, *)
struct UserSessionRoutes: Sendable {
    let users: UserManagement

    private struct RevokedCountBody: Encodable { let revoked: Int }

    private struct UserSessionListBody: Encodable {
        let sessions: [SessionView]
        /// Absent, as `offset`, on a page after a cursor.
        let total: Int?
        let limit: Int
        let offset: Int?
        /// The `cursor` of the next page. Absent on the last one.
        let next: String?
    }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        let list = try ListRequest(request)
        let page = try await users.sessions(
            of: try context.userID, app: context.appID, limit: list.limit, from: list.start)
        return try .json(
            UserSessionListBody(
                sessions: page.elements.map(SessionView.init), total: page.total, limit: list.limit,
                offset: list.offset, next: page.next.map(ListCursor.text)))
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
