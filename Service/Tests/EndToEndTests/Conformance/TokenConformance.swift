import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// RFC 8725 and RFC 9068 at the service. The names of the mutations contain the rules.
@Suite("Service: rules of tokens")
struct TokenConformance {
    /// One device for each algorithm, shared by all tests. RSA keys take long to generate, and a rejected call changes
    /// nothing.
    private static let devices = Dictionary(
        uniqueKeysWithValues: SignatureAlgorithm.allCases.map { algorithm in
            (algorithm, Task { try await RawDevice(ServiceWorld { $0.signingAlgorithm = algorithm }) })
        })
    /// A device with a bound access token.
    private static let bound = Task { try await RawDevice(ServiceWorld { $0.sessions.accessTokenBinding = .dpop }) }

    /// The device's access token as a draft, signed with the service's own key.
    private func draft(of device: RawDevice) async throws -> TokenDraft {
        let app = try await device.world.service.directory.app(device.world.appID)
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
        return TokenDraft(signer: app.accessKey, claims: claims)
    }

    @Test("A token of the service is accepted with every signature algorithm", arguments: SignatureAlgorithm.allCases)
    func valid(_ algorithm: SignatureAlgorithm) async throws {
        let device = try await #require(Self.devices[algorithm]).value
        let valid = try await draft(of: device)
        #expect(valid.signer.algorithm == algorithm)
        #expect(try await device.sessions(token: valid.compact()).status == 200)
    }

    // Proves: J9, P6
    @Test("A token that breaks one rule is rejected", arguments: TokenMutation.all)
    func refused(_ mutation: TokenMutation) async throws {
        for algorithm in SignatureAlgorithm.allCases {
            let device = try await #require(Self.devices[algorithm]).value
            let answer = try await device.sessions(
                token: draft(of: device).with { try mutation.change(&$0) }.compact())
            #expect(answer.status == 401, "\(algorithm)")
            #expect(answer.code == "unauthorized", "\(algorithm)")
            #expect(answer.challenge == #"Bearer error="invalid_token""#, "\(algorithm)")
            // The service called no URL from a token's header (RFC 8725 §3.10).
            #expect(device.world.operatorEndpoints.requests.isEmpty)
        }
    }

    // Proves: P6
    @Test("A bound token that breaks one rule is rejected, even with a valid proof", arguments: TokenMutation.all)
    func refusedWithProof(_ mutation: TokenMutation) async throws {
        let device = try await Self.bound.value
        let token = try await draft(of: device).with { try mutation.change(&$0) }.compact()
        let answer = try await device.boundSessions(token: token)
        #expect(answer.status == 401)
        #expect(answer.challenge == #"DPoP error="invalid_token", algs="ES256""#)
    }

    @Test("An access token signed with the challenge key is rejected (RFC 8725 §3.12)")
    func challengeKey() async throws {
        let device = try await RawDevice(ServiceWorld())
        let app = try await device.world.service.directory.app(device.world.appID)
        let valid = try await draft(of: device)
        let other = TokenDraft(signer: app.challengeKey, claims: valid.claims)
        #expect(try await device.sessions(token: other.compact()).status == 401)
    }

    @Test("A proof is rejected as an access token (RFC 8725 §3.12)")
    func proof() async throws {
        let device = try await RawDevice(ServiceWorld())
        let proof = try device.proof(.get, .sessions).headers()[0]
        #expect(try await device.sessions(token: proof).status == 401)
    }

    @Test(
        "An access token has every required claim, and its typ is at+jwt (RFC 9068 §2.1, §2.2)",
        arguments: ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"])
    func written(_ claim: String) async throws {
        let device = try await RawDevice(ServiceWorld())
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
        #expect(claims[claim] != nil)
        #expect(String(decoding: try JWSText(device.accessToken).header, as: UTF8.self).contains(#""typ":"at+jwt""#))
    }
}
