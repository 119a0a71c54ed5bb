import HTTPTypes
import SessionWire
import Testing

@Suite("Input of the frontend API")
struct FrontendInputTests {
    private static let long = String(repeating: "a", count: 257)

    @Test(
        "An invalid field is rejected by its name",
        arguments: [
            (FrontendPath.otp, "{}", "identifier is required"),
            (
                .otp, #"{"challenge_token":"a.b.c","identifier":{"type":"email_address","value":"a@b.co"}}"#,
                "identifier must not be set"
            ),
            (.otp, #"{"challenge_token":"a","dispatch_id":"\#(long)"}"#, "dispatch_id must have at most 256 bytes"),
            (.otp, #"{"challenge_token":"a","login_config_id":"\#(long)"}"#, "login_config_id must have at most 256"),
            (
                .passwordLogin, #"{"identifier":"a@b.co","password":"x","dispatch_id":"\#(long)"}"#,
                "dispatch_id must have at most 256 bytes"
            ),
            (
                .migration, #"{"token":"a","code_challenge":"b","dispatch_id":"\#(long)"}"#,
                "dispatch_id must have at most"
            ),
            (.stepUpContinue, "{}", "verification_token or passkey_assertion is required"),
        ])
    func field(path: FrontendPath, json: String, message: String) async throws {
        let response = try await EdgeWorld.shared.value.call(.post, path.rawValue, json: json)
        #expect(response.status == 400)
        #expect(response.code == "bad_request")
        #expect(response.message?.hasPrefix(message) == true, "\(response.text)")
    }

    @Test("A login without a verification token or with an empty one is rejected", arguments: [nil, ""])
    func verificationToken(_ token: String?) async throws {
        let headers = HTTPFields.of([token].compactMap { $0 }.map { ("x-verification-token", $0) })
        for path in [FrontendPath.otpCheck, .otpRetry] {
            let response = try await EdgeWorld.shared.value.call(
                .post, path.rawValue, headers, json: #"{"code":"123456"}"#)
            #expect(response.code == "invalid_verification_token")
        }
    }

    @Test("A missing challenge token has an error code of its own")
    func challengeToken() async throws {
        let response = try await EdgeWorld.shared.value.call(.post, FrontendPath.finalize.rawValue, json: "{}")
        #expect(response.status == 401)
        #expect(response.code == "missing_challenge_token")
    }
}
