import SessionWire
import Testing

@Suite("Wire: one-time codes")
struct OTPBodiesTests {
    private let start = Golden(
        StartOTPRequest.self,
        """
        {
          "identifier": {"type": "phone_number", "value": "+30123456789"},
          "login_config_id": "lcfg_01jqebhswje9k8y6w5h7w2e3rt",
          "dispatch_id": "dsp_01jqebhswje9k8y6w5h7w2e3rt",
          "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        }
        """)
    private let check = Golden(CheckOTPRequest.self, #"{"code": "012345", "challenge_token": "a.b.c"}"#)
    private let challenge = Golden(ChallengeResponse.self, #"{"challenge_token": "a.b.c"}"#)

    @Test("POST /otp has all optional members for an identifier")
    func startForIdentifier() throws {
        try start.expect(
            StartOTPRequest(
                identifier: Identifier(type: "phone_number", value: "+30123456789"),
                loginConfigID: "lcfg_01jqebhswje9k8y6w5h7w2e3rt", dispatchID: "dsp_01jqebhswje9k8y6w5h7w2e3rt",
                codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            ))
        try start.expectUnknownMembersTolerated()
        try start.expectTyped("identifier", "login_config_id", "dispatch_id", "code_challenge")
    }

    @Test("POST /otp has a challenge token for a step")
    func startForChallenge() throws {
        let golden = Golden(StartOTPRequest.self, #"{"challenge_token": "a.b.c"}"#)
        try golden.expect(StartOTPRequest(challengeToken: "a.b.c"))
        try golden.expectTyped("challenge_token")
    }

    @Test("POST /otp decodes an empty object, and the route checks for missing members")
    func emptyStart() throws {
        try Golden(StartOTPRequest.self, "{}").expect(StartOTPRequest())
    }

    @Test("POST /otp/check keeps leading zeros of a code, in a login and in a step-up")
    func checkCode() throws {
        try check.expect(CheckOTPRequest(code: "012345", challengeToken: "a.b.c"))
        try Golden(CheckOTPRequest.self, #"{"code": "012345"}"#).expect(CheckOTPRequest(code: "012345"))
        try check.expectUnknownMembersTolerated()
        try check.expectRequired("code")
        try check.expectTyped("code", "challenge_token")
    }

    @Test("A code that is a number is rejected")
    func numericCode() {
        #expect(throws: DecodingError.self) {
            try Golden(CheckOTPRequest.self, #"{"code": 12345}"#).expect(CheckOTPRequest(code: "12345"))
        }
    }

    @Test("The response of every login method has a challenge token")
    func challengeResponse() throws {
        try challenge.expect(ChallengeResponse(challengeToken: "a.b.c"))
        try challenge.expectUnknownMembersTolerated()
        try challenge.expectRequired("challenge_token")
        try challenge.expectTyped("challenge_token")
    }

    @Test("The response of a step has the options of a passkey, if the next step is one")
    func passkeyChallenge() throws {
        let golden = Golden(
            ChallengeResponse.self,
            """
            {
              "challenge_token": "a.b.c",
              "public_key_credential_request_options": {"challenge": "Y2hhbGxlbmdl", "rpId": "example.com"}
            }
            """)
        try golden.expect(
            ChallengeResponse(
                challengeToken: "a.b.c",
                passkeyOptions: PasskeyRequestOptions(challenge: "Y2hhbGxlbmdl", rpID: "example.com")))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("challenge_token")
        try golden.expectTyped("challenge_token", "public_key_credential_request_options")
    }

    @Test("An identifier has type and value")
    func identifier() throws {
        let golden = Golden(Identifier.self, #"{"type": "email_address", "value": "Zoë@example.com"}"#)
        try golden.expect(Identifier(type: "email_address", value: "Zoë@example.com"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("type", "value")
        try golden.expectTyped("type", "value")
    }
}
