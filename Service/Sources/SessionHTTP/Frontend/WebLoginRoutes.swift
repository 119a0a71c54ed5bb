import Hummingbird
import SessionDomain
import SessionWire

/// The login by code of the older web generation: the check of the code starts the session, without a challenge token
/// between them. Refresh and logout are the same as for other browsers.
struct WebLoginRoutes: Sendable {
    let otp: OTPRoutes
    let tokens: TokenRoutes

    @Sendable func start(_ request: Request, context: AppContext) async throws -> Response {
        let body = try await request.decode(StartOTPRequest.self)
        // The check has no `code_verifier`, so the right code would be spent without a session.
        guard body.codeChallenge == nil else {
            throw Refusal.invalidField("code_challenge", "is not supported by this call; use /v1/session/otp")
        }
        return try await otp.start(body, request, context)
    }

    @Sendable func check(_ request: Request, context: ProofBoundContext) async throws -> Response {
        // The code is not spent if the session could not start afterwards.
        try tokens.sessions.checkStart(
            app: context.app, proof: context.proof, proofIsOptional: context.client.isBrowser)
        _ = try context.refreshToken(in: request)
        let challenge = try await otp.checkLogin(
            try await request.decode(CheckOTPRequest.self), request, context, startsSession: true)
        var response = Response.json(members: [:])
        tokens.set(try await tokens.start(challenge, codeVerifier: nil, request, context), on: &response, context)
        return response
    }
}
