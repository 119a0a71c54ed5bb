import Foundation
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

/// RFC 9449 §4.3 at every call with a proof: finalizing a login, refreshing, and calls with an access token.
@Suite("Service: proofs at every kind of call")
struct CallConformance {
    /// A world whose app has a domain, so that one of its origins has the default port.
    private func world() async throws -> ServiceWorld {
        try await ServiceWorld {
            $0.sessions.accessTokenBinding = .dpop
            $0.domains = ["login.example.com"]
        }
    }

    // Proves: P6
    @Test("A proof that breaks one rule does not finalize or consume a login (RFC 9449 §5, D20)")
    func finalize() async throws {
        let world = try await world()
        var device = RawDevice(signedOut: world)
        let login = try await world.completedLogin("ada@example.com")
        for mutation in ProofMutation.all {
            let answer = try await device.finalize(login) { try mutation.change(&$0) }
            let isMissing = mutation.expected == .missing
            #expect(answer.status == (isMissing ? 401 : 400), "\(mutation.rule)")
            #expect(answer.code == (isMissing ? "missing_dpop_proof" : "invalid_dpop_proof"), "\(mutation.rule)")
        }
        #expect(try await world.eventNames().contains("user.session.created") == false)
        try device.take(await device.finalize(login))
        #expect(try await device.boundSessions(id: "in").status == 200)
    }

    // Proves: P6
    @Test("A bound token is rejected with a proof that breaks one rule (RFC 9449 §7.1, D26)")
    func call() async throws {
        let device = try await RawDevice(world())
        for mutation in ProofMutation.all + ProofMutation.withAccessToken {
            let answer = try await device.boundSessions { try mutation.change(&$0) }
            let isMissing = mutation.expected == .missing
            #expect(answer.status == (isMissing ? 401 : 400), "\(mutation.rule)")
            #expect(answer.code == (isMissing ? "missing_dpop_proof" : "invalid_dpop_proof"), "\(mutation.rule)")
            #expect(answer.challenge == #"DPoP error="invalid_dpop_proof", algs="ES256""#, "\(mutation.rule)")
        }
        #expect(try await device.boundSessions().status == 200)
    }

    // Proves: P6
    @Test("A proof that is valid in another form is accepted by every kind of call (RFC 9449 §4.3)")
    func variants() async throws {
        let world = try await world()
        for (number, variant) in ProofVariant.all.enumerated() {
            var device = RawDevice(signedOut: world)
            let login = try await world.completedLogin("user\(number)@example.com")
            try device.take(await device.finalize(login, id: variant.rule) { try variant.change(&$0) })
            let called = try await device.boundSessions(id: "call " + variant.rule) { try variant.change(&$0) }
            #expect(called.status == 200, "\(variant.rule)")
            let refreshed = try await device.refresh(id: "refresh " + variant.rule) { try variant.change(&$0) }
            #expect(refreshed.status == 200, "\(variant.rule)")
        }
        // The service called no URL from a proof's header (RFC 8725 §3.10).
        #expect(world.operatorEndpoints.requests.isEmpty)
    }

    @Test(
        "The default port of each origin is optional in htu (RFC 9449 §4.3 step 9, D11)",
        arguments: ["https://login.example.com", "https://login.example.com:443", "HTTPS://Login.Example.com:443"])
    func defaultPort(_ origin: String) async throws {
        let device = try await RawDevice(world())
        let answer = try await device.refresh(id: origin) { $0.claims["htu"] = .string(origin + "/v1/session/refresh") }
        #expect(answer.status == 200)
    }

    // Proves: D10
    @Test(
        "An htu that differs after normalization is rejected (RFC 9449 §4.3 step 9, D11)",
        arguments: [
            "https://login.example.com:8080/v1/session/refresh", "http://login.example.com/v1/session/refresh",
            "http://localhost/v1/session/refresh", "http://localhost:8080/v1/session/%72efresh/..",
            "http://localhost:8080/v1%2Fsession/refresh", "http://localhost:8080//v1/session/refresh",
        ])
    func otherTarget(_ target: String) async throws {
        let device = try await RawDevice(world())
        #expect(try await device.refresh { $0.claims["htu"] = .string(target) }.code == "invalid_dpop_proof")
    }

    @Test("The token names the thumbprint that other code computes (RFC 7638 §3, D24, T1, T2, T3)")
    func thumbprint() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        struct Vectors: Decodable {
            struct Vector: Decodable {
                let jwk: JSONValue
                let thumbprint: String?
            }
            let vectors: [Vector]
        }
        let file = try Data(contentsOf: root.appendingPathComponent("Vectors/thumbprints.json"))
        let required = PublishedKeys.device.publicJWK.requiredMembers
        let vector = try JSONDecoder().decode(Vectors.self, from: file).vectors.first { vector in
            guard case .object(let members) = vector.jwk, vector.thumbprint != nil else { return false }
            return members["x"] == .string(required["x"] ?? "") && members["y"] == .string(required["y"] ?? "")
        }
        let expected = try #require(vector?.thumbprint)
        let device = try await RawDevice(world())
        let claims = try JWT.unverifiedClaims(of: device.accessToken, as: [String: JSONValue].self)
        #expect(claims["cnf"] == .object(["jkt": .string(expected)]))
    }
}
