import Hummingbird
import SessionDomain
import SessionWebAuthn
import SessionWire

/// Requests a scope and reports custom steps. `OTPRoutes` handles the codes of step-ups.
struct StepUpRoutes: Sendable {
    let stepUp: StepUp
    let authenticator: AccessTokenAuthenticator

    @Sendable func request(_ request: Request, context: SignedInContext) async throws -> Response {
        let body = try await request.decode(StepUpRequest.self)
        try TextLimit.check(body.dispatchID, "dispatch_id")
        let result = try await stepUp.request(
            scope: body.scope, metadata: body.metadata, caller: context.caller, hasProof: context.proof != nil,
            app: context.app, client: context.client.facts)
        return try .json(
            StepUpResponse(
                status: StepUpStatusName(rawValue: result.status.rawValue),
                challengeToken: result.step?.challengeToken,
                passkeyOptions: result.step?.passkey.map(PasskeyRequestOptions.init)))
    }

    @Sendable func completeStep(_ request: Request, context: ProofBoundContext) async throws -> Response {
        let body = try await request.decode(OptionalContinueRequest.self)
        guard let assertion = body.passkeyAssertion else {
            guard let verificationToken = body.verificationToken else {
                throw Refusal.invalidField("verification_token", "or passkey_assertion is required")
            }
            let step = try await stepUp.completeStep(
                app: context.app, challengeToken: body.challengeToken ?? "", verificationToken: verificationToken,
                proof: context.proof, refreshToken: try context.refreshToken(in: request))
            return try .json(ChallengeResponse(step))
        }
        guard body.verificationToken == nil else {
            throw Refusal.invalidField("verification_token", "must not be set together with passkey_assertion")
        }
        // Some clients send their access token, too. An expired one is refused before the step is spent.
        let caller =
            try await request.headers.contains(.authorization)
            ? authenticator.authenticate(
                app: context.app, presented: request.presentedToken, proof: context.proof, usesProof: false) : nil
        let step = try await stepUp.completeStep(
            app: context.app, challengeToken: body.challengeToken ?? "",
            try AssertionResponse(assertion, "passkey_assertion"), caller: caller, proof: context.proof,
            refreshToken: try context.refreshToken(in: request))
        return try .json(ChallengeResponse(step))
    }
}

/// The body of `/stepup/continue` with optional members: a missing challenge has an error code of its own.
struct OptionalContinueRequest: Decodable {
    let challengeToken: String?
    let verificationToken: String?
    let passkeyAssertion: PasskeyAssertion?

    private enum CodingKeys: String, CodingKey {
        case challengeToken = "challenge_token"
        case verificationToken = "verification_token"
        case passkeyAssertion = "passkey_assertion"
    }
}

extension ChallengeResponse {
    init(_ step: StepUp.Step) {
        self.init(
            challengeToken: step.challengeToken, passkeyOptions: step.passkey.map(PasskeyRequestOptions.init))
    }
}
