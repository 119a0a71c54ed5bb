import SessionWire
import Testing

@Suite("Wire: step-up")
struct StepUpBodiesTests {
    private let request = Golden(
        StepUpRequest.self,
        #"{"scope":"transfer:write","metadata":{"amount":"250"},"dispatch_id":"dsp_1"}"#)
    private let response = Golden(StepUpResponse.self, #"{"status":"review","challenge_token":"a.b.c"}"#)
    private let step = Golden(
        ContinueStepUpRequest.self, #"{"challenge_token":"a.b.c","verification_token":"d.e.f"}"#)
    private let refresh = Golden(RefreshRequest.self, #"{"step_up_token":"a.b.c"}"#)
    private let reset = Golden(ResetPasswordRequest.self, #"{"password":"correct horse"}"#)
    private let migration = Golden(
        MigrationRequest.self, #"{"token":"old","code_challenge":"pkce","dispatch_id":"dsp_1"}"#)

    @Test("POST /stepup/request has scope, metadata and dispatch_id")
    func requestBody() throws {
        try request.expect(
            StepUpRequest(scope: "transfer:write", metadata: ["amount": "250"], dispatchID: "dsp_1"))
        try request.expectRequired("scope")
        try request.expectTyped("scope", "metadata", "dispatch_id")
        try Golden(StepUpRequest.self, #"{"scope":"transfer:write"}"#).expect(StepUpRequest(scope: "transfer:write"))
    }

    @Test("A step-up response has no token if denied, and unknown statuses are kept")
    func responseBody() throws {
        try response.expect(StepUpResponse(status: .review, challengeToken: "a.b.c"))
        try response.expectUnknownMembersTolerated()
        try response.expectRequired("status")
        try response.expectTyped("status", "challenge_token")
        try Golden(StepUpResponse.self, #"{"status":"block"}"#)
            .expect(StepUpResponse(status: .block, challengeToken: nil))
        try Golden(StepUpResponse.self, #"{"status":"postpone"}"#)
            .expect(StepUpResponse(status: StepUpStatusName(rawValue: "postpone"), challengeToken: nil))
        #expect(StepUpStatusName.continue.rawValue == "continue")
    }

    @Test("A step-up response has the options of a passkey, if the first step is one")
    func passkeyResponse() throws {
        let golden = Golden(
            StepUpResponse.self,
            """
            {
              "status": "review", "challenge_token": "a.b.c",
              "public_key_credential_request_options": {"challenge": "Y2hhbGxlbmdl", "rpId": "example.com"}
            }
            """)
        try golden.expect(
            StepUpResponse(
                status: .review, challengeToken: "a.b.c",
                passkeyOptions: PasskeyRequestOptions(challenge: "Y2hhbGxlbmdl", rpID: "example.com")))
        try golden.expectUnknownMembersTolerated()
        try golden.expectTyped("public_key_credential_request_options")
    }

    @Test("POST /stepup/continue has the token of the challenge, and that of the step")
    func continueBody() throws {
        try step.expect(ContinueStepUpRequest(challengeToken: "a.b.c", verificationToken: "d.e.f"))
        try step.expectRequired("challenge_token")
        try step.expectTyped("challenge_token", "verification_token")
    }

    @Test("POST /stepup/continue has the answer of a passkey instead")
    func continueWithPasskey() throws {
        let golden = Golden(
            ContinueStepUpRequest.self,
            """
            {
              "challenge_token": "a.b.c",
              "passkey_assertion": {
                "id": "b2xk", "rawId": "b2xk", "type": "public-key",
                "response": {"clientDataJSON": "Yw", "authenticatorData": "YQ", "signature": "cw"}
              }
            }
            """)
        try golden.expect(
            ContinueStepUpRequest(
                challengeToken: "a.b.c",
                passkeyAssertion: PasskeyAssertion(
                    id: "b2xk",
                    response: PasskeyAssertion.Response(
                        clientDataJSON: "Yw", authenticatorData: "YQ", signature: "cw"))))
        try golden.expectUnknownMembersTolerated()
        try golden.expectTyped("challenge_token", "passkey_assertion")
    }

    @Test("POST /refresh accepts a body with and without a completed challenge")
    func refreshBody() throws {
        try refresh.expect(RefreshRequest(stepUpToken: "a.b.c"))
        try refresh.expectTyped("step_up_token")
        try Golden(RefreshRequest.self, "{}").expect(RefreshRequest())
    }

    @Test("POST /me/password/reset has the password")
    func resetBody() throws {
        try reset.expect(ResetPasswordRequest(password: "correct horse"))
        try reset.expectRequired("password")
        try reset.expectTyped("password")
    }

    @Test("POST /migration has token, code_challenge and dispatch_id")
    func migrationBody() throws {
        try migration.expect(MigrationRequest(token: "old", codeChallenge: "pkce", dispatchID: "dsp_1"))
        try migration.expectRequired("token", "code_challenge")
        try migration.expectTyped("token", "code_challenge", "dispatch_id")
    }
}
