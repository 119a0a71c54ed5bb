import HTTPTypes
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("WWW-Authenticate")
struct AuthenticateChallengeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let binding: SessionPolicy.AccessTokenBinding
        let presented: PresentedToken.Scheme?
        let refusal: Refusal
        let text: String?
        var testDescription: String { "\(binding), \(presented.map { "\($0)" } ?? "no token"), \(refusal)" }

        init(
            _ binding: SessionPolicy.AccessTokenBinding, _ presented: PresentedToken.Scheme?, _ refusal: Refusal,
            _ text: String?
        ) {
            self.binding = binding
            self.presented = presented
            self.refusal = refusal
            self.text = text
        }
    }

    private static let token = #"error="invalid_token""#
    private static let proof = #"error="invalid_dpop_proof""#

    static let rows = [
        Row(.bearer, nil, .unauthorized, "Bearer"),
        Row(.bearer, .bearer, .unauthorized, "Bearer \(token)"),
        Row(.bearer, .dpop, .unauthorized, #"Bearer, DPoP \#(token), algs="ES256""#),
        Row(.dpop, nil, .unauthorized, #"DPoP algs="ES256""#),
        Row(.dpop, .dpop, .unauthorized, #"DPoP \#(token), algs="ES256""#),
        Row(.dpop, .bearer, .unauthorized, #"Bearer \#(token), DPoP algs="ES256""#),
        Row(.dpop, .dpop, .missingProof, #"DPoP \#(proof), algs="ES256""#),
        Row(.dpop, .dpop, .invalidProof(.malformed), #"DPoP \#(proof), algs="ES256""#),
        Row(.dpop, .dpop, .replayedProof, #"DPoP \#(proof), algs="ES256""#),
        Row(.dpop, .bearer, .missingProof, #"Bearer, DPoP \#(proof), algs="ES256""#),
        Row(.dpop, .dpop, .proofKeyMismatch, #"DPoP \#(token), algs="ES256""#),
        Row(.dpop, .dpop, .nonceRequired("n"), #"DPoP error="use_dpop_nonce", algs="ES256""#),
        Row(.bearer, .bearer, .nonceRequired("n"), "Bearer"),
        Row(.bearer, .bearer, .insufficientScope("a"), #"Bearer error="insufficient_scope""#),
        Row(.dpop, .dpop, .insufficientScope("a"), #"DPoP error="insufficient_scope", algs="ES256""#),
        Row(.bearer, .bearer, .forbidden("no"), nil),
        Row(.bearer, .bearer, .invalidPaginationLimit, nil),
        Row(.bearer, .bearer, .notFound("no"), nil),
        Row(.dpop, .dpop, .rateLimited(retryAfter: 1), nil),
        Row(.dpop, .dpop, .unavailable("no"), nil),
    ]

    @Test(
        "The challenge names the schemes, and the error of the scheme that was used (RFC 6750 §3.1, RFC 9449 §7.1)",
        arguments: rows)
    func text(_ row: Row) {
        let challenge = AuthenticateChallenge(
            binding: row.binding, presented: row.presented, refusal: WireRefusal(row.refusal))
        #expect(challenge?.text == row.text)
    }

    @Test("The error response of a call without a token has the challenge", arguments: [true, false])
    func response(isBound: Bool) async throws {
        let world = try await EdgeWorld { $0.sessions.accessTokenBinding = isBound ? .dpop : .bearer }
        let response = try await world.call(.get, "/v1/session/me/list")
        #expect(response.status == 401)
        #expect(response.header("www-authenticate") == (isBound ? #"DPoP algs="ES256""# : "Bearer"))
    }

    @Test("Calls that need no access token have no challenge")
    func otherCalls() async throws {
        let response = try await EdgeWorld.shared.value.call(.post, "/v1/session/refresh", json: "{}")
        #expect(response.status == 401)
        #expect(response.header("www-authenticate") == nil)
    }
}
