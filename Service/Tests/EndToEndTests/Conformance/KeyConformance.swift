import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionRSA
import SessionTokens
import Testing

/// RFC 8725 §3.8 and §3.12 at the service: which keys may sign access tokens.
@Suite("Service: rules of keys")
struct KeyConformance {
    private func claims(of device: RawDevice) throws -> [String: JSONValue] {
        try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
    }

    @Test("An access token signed with the hook key is rejected, by RS256 or PS256 (RFC 8725 §3.12, J11)")
    func hookKey() async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        try await world.service.signingKeys.rotate(.hook, of: world.appID, reason: .first)
        let app = try await world.service.directory.app(world.appID)
        let key = try #require(app.hookKey)
        #expect(app.publishedKeys.contains { $0["kid"] == key.keyID && $0["alg"] == "PS256" })
        let rs256 = TokenDraft(signer: RS256SigningKey(key), claims: try claims(of: device))
        let ps256 = rs256.signedWithPS256(by: key)
        for token in [rs256, ps256] {
            let answer = try await device.sessions(token: token.compact())
            #expect(answer.status == 401 && answer.challenge == #"Bearer error="invalid_token""#)
        }
        #expect(try await device.sessions(token: device.accessToken).status == 200)
    }

    @Test("An access token signed with another app's key is rejected, with any claims (RFC 8725 §3.8, J7)")
    func otherApp() async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        let id = try #require(AppID("otherap"))
        _ = try await world.service.apps.create(id: id, name: "Other") { _ in }
        let other = try await world.service.directory.app(id)
        var draft = TokenDraft(signer: other.accessKey, claims: try claims(of: device))
        #expect(try await device.sessions(token: draft.compact()).status == 401)
        draft.claims["aud"] = .string(id.rawValue)
        draft.claims["iss"] = .string(other.issuer)
        #expect(try await device.sessions(token: draft.compact()).status == 401)
    }
}
