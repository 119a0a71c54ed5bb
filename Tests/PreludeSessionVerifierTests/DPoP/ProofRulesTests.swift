import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The rules of RFC 9449 §4.3. The names of the mutations contain the sections.
@Suite("Verifier: proof rules")
struct ProofRulesTests {
    // Proves: P6
    @Test(
        "The verifier rejects an invalid proof and then accepts the valid proof with the same id",
        arguments: ProofMutation.all + ProofMutation.withAccessToken)
    func rejected(_ mutation: ProofMutation) async throws {
        let backend = try Backend()
        let error = try await backend.verifier.rejection(of: backend.boundRequest(proof: { try mutation.change(&$0) }))
        #expect(error.reason.rawValue == mutation.verifierReason)
        #expect(error.status == .unauthorized)
        #expect(error.code == "invalid_dpop_proof")
        #expect(try await backend.verifier.verify(backend.boundRequest()).userID == "usr_1")
    }

    @Test(
        "The same proofs are rejected for the same reasons when the device's key is already known",
        arguments: ProofMutation.all + ProofMutation.withAccessToken)
    func rejectedWithKnownKey(_ mutation: ProofMutation) async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.boundRequest(proof: { $0.claims["jti"] = "an earlier proof" }))
        let error = try await backend.verifier.rejection(of: backend.boundRequest(proof: { try mutation.change(&$0) }))
        #expect(error.reason.rawValue == mutation.verifierReason)
        #expect(try await backend.verifier.verify(backend.boundRequest()).userID == "usr_1")
    }

    @Test("A proof without ath is rejected (RFC 9449 §4.3 step 12)")
    func noAccessTokenHash() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { $0.claims["ath"] = nil })
        #expect(try await backend.verifier.rejection(of: request).reason == .wrongAccessToken)
    }

    @Test("A valid proof of another key than cnf.jkt gets invalid_token (RFC 9449 §4.3 step 12, §7.1)")
    func otherKey() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: {
            $0.signer = PublishedKeys.otherDevice
            $0.header["jwk"] = .object(
                PublishedKeys.otherDevice.publicJWK.requiredMembers.mapValues(JSONValue.string))
        })
        let error = try await backend.verifier.rejection(of: request)
        #expect(error.reason == .wrongKey)
        #expect(error.code == "invalid_token")
    }

    // Proves: P6
    @Test(
        "The verifier accepts every valid form of a proof and fetches no URL from it", arguments: ProofVariant.all
    )
    func accepted(_ variant: ProofVariant) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { try variant.change(&$0) })
        #expect(try await backend.verifier.verify(request).keyThumbprint == PublishedKeys.device.keyID)
        #expect(backend.source.fetches == 1)
    }

    @Test(
        "The claim htu is compared after normalisation (RFC 9449 §4.3 step 9, RFC 3986 §6.2.2, §6.2.3)",
        arguments: [
            "HTTPS://API.example.com/v1/orders", "https://api.example.com:443/v1/orders",
            "https://api.example.com/v1/./x/../orders", "https://api.example.com/v1/%6Frders",
        ])
    func normalised(_ url: String) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { $0.claims["htu"] = .string(url) })
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
    }

    @Test("A proof for another method than the request's is rejected (RFC 9449 §4.3 step 8)")
    func method() async throws {
        let backend = try Backend()
        var request = try backend.boundRequest()
        request.method = .post
        #expect(try await backend.verifier.rejection(of: request).reason == .wrongMethod)
    }

    @Test("A proof for another path than the request's is rejected (RFC 9449 §4.3 step 9)")
    func path() async throws {
        let backend = try Backend()
        var request = try backend.boundRequest()
        request.path = "/v1/orders/7"
        #expect(try await backend.verifier.rejection(of: request).reason == .wrongTarget)
    }

    @Test("The rejection of a proof for another URL has both URLs without query, for the log and not for the response")
    func targets() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { $0.claims["htu"] = "https://wrong.example/a?b=secret#secret" })
        let error = try await backend.verifier.rejection(of: request)
        let expected = Backend.resource + "/v1/orders"
        #expect(error.targets?.description == "claimed=https://wrong.example/a expected=\(expected)")
        #expect(!"\(error.headerFields) \(error.description)".contains("wrong.example"))
        let missing = try await backend.verifier.rejection(
            of: backend.boundRequest(proof: { $0.claims["htu"] = "urn:a" }))
        #expect(missing.targets?.claimed == nil)
    }

    @Test(
        "A request target that is not a path is rejected and never joined to a host (RFC 9112 §3.2)",
        arguments: [".evil.example/v1/orders", "@evil.example/v1/orders", ":8443/v1/orders"])
    func target(_ path: String) async throws {
        let backend = try Backend()
        var request = try backend.boundRequest(proof: { $0.claims["htu"] = .string(Backend.resource + path) })
        request.path = path
        #expect(try await backend.verifier.rejection(of: request).reason == .wrongTarget)
    }

    @Test("A backend with several URLs accepts proofs for each of them")
    func severalResources() async throws {
        let backend = try Backend(resources: [Backend.resource, "https://edge.example.com/api/"])
        let request = try backend.boundRequest(proof: {
            $0.claims["htu"] = "https://edge.example.com/api/v1/orders"
        })
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
        #expect(try await backend.verifier.verify(backend.boundRequest(id: "other")).userID == "usr_1")
    }

    // Proves: D10
    @Test("A backend without a URL rejects proofs whatever the Host header says")
    func noResource() async throws {
        let backend = try Backend(resources: [])
        let request = try backend.boundRequest(proof: { $0.claims["htu"] = "http://10.0.0.7/v1/orders" })
        let error = try await backend.verifier.rejection(of: request)
        #expect(error.reason == .dpopNotOffered)
        #expect(
            error.challenge == #"Bearer error="invalid_token", error_description="this backend does not accept DPoP""#,
            "the response offers no scheme that the backend does not accept")
    }
}
