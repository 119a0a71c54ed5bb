import Hummingbird
import SessionDomain
import SessionWire

/// What a signed-in user sees and ends.
struct MeRoutes: Sendable {
    let sessions: UserSessions

    @Sendable func list(_ request: Request, context: SignedInContext) async throws -> Response {
        let page = try Page(request)
        let (sessions, total) = try await self.sessions.list(
            of: context.caller, limit: page.limit, offset: page.offset)
        return try .json(
            SessionListResponse(
                sessions: sessions.map(SessionView.init), total: total, limit: page.limit, offset: page.offset))
    }

    @Sendable func revoke(_ request: Request, context: SignedInContext) async throws -> Response {
        let name = request.uri.queryParameters["target"].flatMap { RevokeTargetName(rawValue: String($0)) }
        guard let name else {
            throw Refusal.invalidField("target", "must be all, others, mine or session")
        }
        let target: RevokeTarget
        switch name {
        case .all: target = .all
        case .others: target = .others
        case .mine: target = .mine
        case .session:
            guard let id = request.uri.queryParameters["session_id"], !id.isEmpty else {
                throw Refusal.invalidField("session_id", "is required for the target session")
            }
            target = .session(id: String(id))
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

/// The part of a list that is asked for.
struct Page {
    let limit: Int
    let offset: Int

    init(_ request: Request) throws {
        limit = try Self.number("limit", in: request, default: 10, refusal: .invalidPaginationLimit)
        offset = try Self.number("offset", in: request, default: 0, refusal: .invalidPaginationOffset)
    }

    private static func number(
        _ name: Substring, in request: Request, default standard: Int, refusal: Refusal
    ) throws -> Int {
        guard let text = request.uri.queryParameters[name] else { return standard }
        guard let value = Int(text) else { throw refusal }
        return value
    }
}

extension SessionView {
    init(_ session: Session) {
        self.init(
            id: session.id, deviceModel: session.device.model, deviceType: session.device.type,
            osVersion: session.device.osVersion, countryCode: session.device.countryCode,
            createdAt: session.createdAt.rfc3339, lastSeenAt: session.lastSeenAt.rfc3339,
            expiresAt: session.expiresAt.rfc3339)
    }
}

extension Identifier {
    init(_ identifier: CanonicalIdentifier) {
        self.init(type: identifier.type.rawValue, value: identifier.value)
    }
}
