import Foundation
import SessionTokens
import SessionWire
import Testing

@testable import SessionHTTP

@Suite("Token response")
struct TokenResponseTests {
    @Test(
        "The members are those that the encoder writes",
        arguments: [
            TokenResponse(accessToken: "a.b.c", expiresAt: 1_767_225_599),
            TokenResponse(accessToken: "", expiresAt: 0, tokenType: "DPoP", isNewUser: true),
            TokenResponse(accessToken: "x", expiresAt: -1, tokenType: "Bearer", isNewUser: false),
        ])
    func members(response: TokenResponse) throws {
        #expect(try TokenJSON.encode(response) == TokenJSON.write(response.members))
    }
}
