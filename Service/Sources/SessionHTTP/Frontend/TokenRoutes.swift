import HTTPTypes
import Hummingbird
import SessionDomain
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
