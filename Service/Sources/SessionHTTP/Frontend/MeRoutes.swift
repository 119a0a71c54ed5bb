import Hummingbird
import SessionDomain
import SessionWire

/// The sessions and identifiers of the signed-in user.
struct MeRoutes: Sendable {
    let sessions: UserSessions

    @Sendable func list(_ request: Request, context: SignedInContext) async throws -> Response {
        let page = try Page(request)
        let (sessions, total) = try await self.sessions.list(
            of: context.caller, limit: page.limit, offset: page.offset)
        return .json(
            members: SessionListResponse(
                sessions: sessions.map(SessionView.init), total: total, limit: page.limit, offset: page.offset
            ).members)
    }

    @Sendable func revoke(_ request: Request, context: SignedInContext) async throws -> Response {
        let name = try request.query["target"].flatMap(RevokeTargetName.init(rawValue:))
        guard let name else {
            throw Refusal.invalidField("target", "must be all, others, mine or session")
        }
        let target: RevokeTarget
        switch name {
        case .all: target = .all
        case .others: target = .others
        case .mine: target = .mine
        case .session:
            guard let id = try request.query["session_id"], !id.isEmpty else {
                throw Refusal.invalidField("session_id", "is required for the target session")
            }
            target = .session(id: id)
        }
        try await sessions.revoke(target, by: context.caller)
        var response = Response.noContent
        let endsOwn = target == .all || target == .mine || target == .session(id: context.caller.session.id)
        if context.client.isBrowser, endsOwn { AppCookies(app: context.app).clearRefreshToken(on: &response) }
        return response
    }

    @Sendable func identifiers(_ request: Request, context: SignedInContext) async throws -> Response {
        try .json(IdentifiersResponse(identifiers: context.caller.user.identifiers.map(Identifier.init)))
    }
}
