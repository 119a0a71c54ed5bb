import SessionWire
import Testing

@Suite("Wire: tokens")
struct TokenBodiesTests {
    @Test("POST /login/finalize accepts a body with and without a PKCE verifier")
    func finalize() throws {
        let golden = Golden(
            FinalizeRequest.self,
            """
            {"challenge_token": "a.b.c", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
            """)
        try golden.expect(
            FinalizeRequest(challengeToken: "a.b.c", codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        try Golden(FinalizeRequest.self, #"{"challenge_token": "a.b.c"}"#)
            .expect(FinalizeRequest(challengeToken: "a.b.c"))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("challenge_token")
        try golden.expectTyped("challenge_token", "code_verifier")
    }

    @Test("A token response has expires_at as integer seconds")
    func tokens() throws {
        let golden = Golden(
            TokenResponse.self, #"{"access_token": "a.b.c", "expires_at": 1800000000, "token_type": "DPoP"}"#)
        try golden.expect(TokenResponse(accessToken: "a.b.c", expiresAt: 1_800_000_000, tokenType: "DPoP"))
        try Golden(TokenResponse.self, #"{"access_token": "a.b.c", "expires_at": 1800000000}"#)
            .expect(TokenResponse(accessToken: "a.b.c", expiresAt: 1_800_000_000))
        try golden.expectUnknownMembersTolerated()
        try golden.expectRequired("access_token", "expires_at")
        try golden.expectTyped("access_token", "expires_at", "token_type")
    }

    @Test("The response to a login says whether the login created the user")
    func newUser() throws {
        let golden = Golden(
            TokenResponse.self, #"{"access_token": "a.b.c", "expires_at": 1800000000, "is_new_user": true}"#)
        try golden.expect(TokenResponse(accessToken: "a.b.c", expiresAt: 1_800_000_000, isNewUser: true))
        try golden.expectTyped("is_new_user")
    }
}
