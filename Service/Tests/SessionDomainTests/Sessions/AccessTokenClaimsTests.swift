import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("The JSON of access tokens")
struct AccessTokenClaimsTests {
    private static func claims(_ change: (inout AccessTokenClaims) -> Void) -> AccessTokenClaims {
        var claims = AccessTokenClaims(
            iss: "login.example.com", aud: "app", sub: "usr_\"1\"", sid: "ses_1", clientID: "app", jti: "id", iat: 1,
            nbf: 2,
            exp: 3)
        change(&claims)
        return claims
    }

    @Test(
        "It has the bytes that an encoder writes, with and without optional claims",
        arguments: [
            claims { _ in }, claims { $0.scope = "a b" }, claims { $0.cnf = Confirmation(jkt: "thumbprint") },
            claims {
                $0.scope = "a"
                $0.cnf = Confirmation(jkt: "thumbprint")
                $0.mapped = ["role": .string("admin"), "iss": .string("another")]
            },
        ])
    func bytes(claims: AccessTokenClaims) throws {
        #expect(try claims.json == TokenJSON.encode(claims))
    }
}
