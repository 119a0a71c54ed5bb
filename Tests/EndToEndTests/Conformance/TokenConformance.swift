import Foundation
import HTTPTypes
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

/// RFC 8725 and RFC 9068 before the service, rule by rule: the rules are in the names of the mutations.
@Suite("Service: rules of tokens")
struct TokenConformance {
    /// The token that the service gave, under the service's own key, and ready for a change.
    private func draft(of device: ForeignDevice) async throws -> TokenDraft {
        let app = try await device.world.service.directory.app(device.world.appID)
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
        return TokenDraft(signer: app.accessKey, claims: claims)
    }

    @Test("A token that breaks one rule opens nothing", arguments: TokenMutation.all)
    func refused(_ mutation: TokenMutation) async throws {
        let device = try await ForeignDevice(World())
        let valid = try await draft(of: device)
        #expect(try await device.sessions(token: valid.compact()).status == 200)
        let answer = try await device.sessions(token: valid.with { try mutation.change(&$0) }.compact())
        #expect(answer.status == 401)
        #expect(answer.code == "unauthorized")
    }

    @Test("RFC 8725 §3.12: a token under the key of challenges opens nothing")
    func challengeKey() async throws {
        let device = try await ForeignDevice(World())
        let app = try await device.world.service.directory.app(device.world.appID)
        let valid = try await draft(of: device)
        let other = TokenDraft(signer: app.challengeKey, claims: valid.claims)
        #expect(try await device.sessions(token: other.compact()).status == 401)
    }

    @Test("RFC 8725 §3.12: a proof is no access token of the service")
    func proof() async throws {
        let device = try await ForeignDevice(World())
        let proof = try device.proof(.get, "/v1/session/me/list").headers()[0]
        #expect(try await device.sessions(token: proof).status == 401)
    }

    @Test(
        "RFC 9068 §2.2: what the service writes has every claim that is required, and typ at+jwt",
        arguments: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"])
    func written(_ claim: String) async throws {
        let device = try await ForeignDevice(World())
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
        #expect(claims[claim] != nil)
        #expect(String(decoding: try JWSText(device.accessToken).header, as: UTF8.self).contains(#""typ":"at+jwt""#))
    }
}
