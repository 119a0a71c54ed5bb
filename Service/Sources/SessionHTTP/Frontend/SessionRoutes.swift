import HTTPTypes
import Hummingbird
import SessionDomain
import SessionTokens
import SessionWire

/// Finalizes logins, refreshes tokens, and revokes sessions.
struct TokenRoutes: Sendable {
    let sessions: SessionLifecycle
    let environment: ServiceEnvironment

    @Sendable func finalize(_ request: Request, context: ProofBoundContext) async throws -> Response {
        let body = try await request.decodeIfPresent(OptionalFinalizeRequest.self)
        let tokens = try await start(body?.challengeToken ?? "", codeVerifier: body?.codeVerifier, request, context)
        return response(tokens, context)
    }

    /// Starts the session of a completed login.
    func start(
        _ challengeToken: String, codeVerifier: String?, _ request: Request, _ context: ProofBoundContext
    ) async throws -> IssuedTokens {
        try await sessions.start(
            app: context.app, challengeToken: challengeToken, codeVerifier: codeVerifier, proof: context.proof,
            proofIsOptional: context.client.isBrowser, previousToken: try context.refreshToken(in: request),
            device: context.client.device, client: context.client.facts)
    }

    @Sendable func refresh(_ request: Request, context: ProofBoundContext) async throws -> Response {
        let body = try await request.decodeIfPresent(RefreshRequest.self)
        let tokens = try await sessions.refresh(
            app: context.app, token: try context.refreshToken(in: request), stepUpToken: body?.stepUpToken,
            proof: context.proof, device: context.client.device, client: context.client.facts)
        return response(tokens, context)
    }

    @Sendable func revoke(_ request: Request, context: ProofBoundContext) async throws -> Response {
        try await sessions.revoke(
            app: context.app, token: try context.refreshToken(in: request), proof: context.proof)
        var response = Response.noContent
        if context.client.isBrowser { AppCookies(app: context.app).clearRefreshToken(on: &response) }
        return response
    }

    private func response(_ tokens: IssuedTokens, _ context: ProofBoundContext) -> Response {
        var response = Response.json(
            members: TokenResponse(
                accessToken: tokens.accessToken, expiresAt: tokens.accessTokenExpiresAt.seconds,
                tokenType: tokens.isBound ? "DPoP" : "Bearer", isNewUser: tokens.isNewUser
            ).members)
        set(tokens, on: &response, context)
        return response
    }

    /// Sets all that is not in the body: cookies for browsers, headers for other clients.
    func set(_ tokens: IssuedTokens, on response: inout Response, _ context: ProofBoundContext) {
        if context.client.isBrowser {
            let lifetime = tokens.refreshTokenExpiresAt.seconds - environment.now().seconds
            let cookies = AppCookies(app: context.app)
            cookies.setRefreshToken(tokens.refreshToken, seconds: Int(lifetime), on: &response)
            if let device = tokens.knownDevice { cookies.setTrustedDevice(device, on: &response) }
        } else {
            response.headers.set(.refreshToken, to: tokens.refreshToken)
            response.headers.set(.refreshTokenExpiresAt, to: tokens.refreshTokenExpiresAt.rfc3339)
            if let device = tokens.knownDevice { response.headers.set(.trustedDevice, to: device) }
        }
        if let nonce = tokens.nextNonce { response.headers.set(.dpopNonce, to: nonce) }
    }
}

extension TokenResponse {
    /// The members of its JSON, as `Encodable` writes them.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["access_token": .string(accessToken), "expires_at": .int(expiresAt)]
        if let tokenType { members["token_type"] = .string(tokenType) }
        if let isNewUser { members["is_new_user"] = .bool(isNewUser) }
        return members
    }
}

/// The body of `/login/finalize` with optional members: a missing token has an error code of its own.
struct OptionalFinalizeRequest: Decodable {
    let challengeToken: String?
    let codeVerifier: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case codeVerifier = "code_verifier"
    }
}

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

extension SessionListResponse {
    /// The members of its JSON, as `Encodable` writes them.
    var members: [String: JSONValue] {
        [
            "sessions": .array(sessions.map { .object($0.members) }), "total": .int(Int64(total)),
            "limit": .int(Int64(limit)), "offset": .int(Int64(offset)),
        ]
    }
}

extension SessionView {
    fileprivate var members: [String: JSONValue] {
        [
            "id": .string(id), "device_model": .string(deviceModel), "device_type": .string(deviceType),
            "os_version": .string(osVersion), "country_code": .string(countryCode), "created_at": .string(createdAt),
            "last_seen_at": .string(lastSeenAt), "expires_at": .string(expiresAt),
        ]
    }
}

extension SessionView {
    /// A session as both APIs show it.
    init(_ session: Session) {
        self.init(
            id: session.id, deviceModel: session.device.model, deviceType: session.device.type,
            osVersion: session.device.osVersion, countryCode: session.device.countryCode,
            createdAt: session.createdAt.rfc3339, lastSeenAt: session.lastSeenAt.rfc3339,
            expiresAt: session.expiresAt.rfc3339)
    }
}

extension Identifier {
    /// An identifier as both APIs show it.
    init(_ identifier: CanonicalIdentifier) {
        self.init(type: identifier.type.rawValue, value: identifier.value)
    }
}
