import Hummingbird
import SessionDomain
import SessionWire

/// Stepping up: ask for a scope, report a custom step. Codes go through `OTPRoutes`.
struct StepUpRoutes: Sendable {
    let stepUp: StepUp

    @Sendable func request(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(StepUpRequest.self)
        try TextLimit.check(body.dispatchID, "dispatch_id")
        let answer = try await stepUp.request(
            scope: body.scope, metadata: body.metadata, caller: context.caller, hasProof: context.proof != nil,
            app: context.app, client: context.client.facts)
        return try .json(
            StepUpResponse(
                status: StepUpStatusName(rawValue: answer.status.rawValue), challengeToken: answer.challengeToken))
    }

    @Sendable func completeStep(_ request: Request, context: ProofBoundContext) async throws -> Response {
        let body = try await request.decode(OptionalContinueRequest.self)
        guard let verificationToken = body.verificationToken else {
            throw Refusal.invalidField("verification_token", "is required")
        }
        let challenge = try await stepUp.completeStep(
            app: context.app, challengeToken: body.challengeToken ?? "", verificationToken: verificationToken,
            proof: context.proof, refreshToken: context.refreshToken(in: request))
        return try .json(ChallengeResponse(challengeToken: challenge))
    }
}

/// `/stepup/continue` as it is read: a missing challenge has a code of its own.
struct OptionalContinueRequest: Decodable {
    let challengeToken: String?
    let verificationToken: String?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
    }
}
