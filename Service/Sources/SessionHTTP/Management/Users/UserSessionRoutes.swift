import Hummingbird
package import SessionDomain
import SessionWire

/// The sessions of one user in the management API.
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
        let filter = try SessionFilter(try request.query)
        let page = try await users.sessions(
            of: try context.userID, app: context.appID, filter: filter, limit: list.limit, from: list.start)
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
        let body = try await request.decodeExactlyIfPresent(InvalidateSessionsBody.self)
        let selection = body?.except.map(SessionSelection.allBut) ?? .all
        let revoked = try await users.endSessions(selection, of: try context.userID, app: context.appID)
        return try .json(RevokedCountBody(revoked: revoked))
    }
}

extension SessionFilter {
    /// Reads the query parameters `device_id`, `device_type` and `country_code`.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the parameter.
    package init(_ query: FormFields) throws(Refusal) {
        self.init()
        if let text = query["device_id"] {
            guard let id = Client.uuid(text) else { throw .invalidField("device_id", "must be a UUID") }
            deviceID = id
        }
        if let type = query["device_type"] {
            guard Self.deviceTypes.contains(type) else {
                throw .invalidField("device_type", "must be desktop, mobile, tablet or unknown")
            }
            deviceType = type
        }
        if let code = query["country_code"] {
            guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw .invalidField("country_code", "must be two upper-case letters, such as FR")
            }
            countryCode = code
        }
    }
}
