import Hummingbird
import SessionDomain
import SessionWire

/// Requests a scope and reports custom steps. `OTPRoutes` handles the codes of step-ups.
struct StepUpRoutes: Sendable {
    let stepUp: StepUp

    @Sendable func request(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(StepUpRequest.self)
        try TextLimit.check(body.dispatchID, "dispatch_id")
        let result = try await stepUp.request(
            scope: body.scope, metadata: body.metadata, caller: context.caller, hasProof: context.proof != nil,
            app: context.app, client: context.client.facts)
        return try .json(
            StepUpResponse(
                status: StepUpStatusName(rawValue: result.status.rawValue), challengeToken: result.challengeToken))
    }

    @Sendable func completeStep(_ request: Request, context: ProofBoundContext) async throws -> Response {
        let body = try await request.decode(OptionalContinueRequest.self)
        guard let verificationToken = body.verificationToken else {
            throw Refusal.invalidField("verification_token", "is required")
        }
        let challenge = try await stepUp.completeStep(
            app: context.app, challengeToken: body.challengeToken ?? "", verificationToken: verificationToken,
            proof: context.proof, refreshToken: try context.refreshToken(in: request))
        return try .json(ChallengeResponse(challengeToken: challenge))
    }
}

/// The body of `/stepup/continue` with optional members: a missing challenge has an error code of its own.
struct OptionalContinueRequest: Decodable {
    let challengeToken: String?
    let verificationToken: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
    }
}
