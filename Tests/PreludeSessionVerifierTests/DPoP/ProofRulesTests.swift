import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// RFC 9449 §4.3, rule by rule: the rules are in the names of the mutations.
@Suite("Verifier: rules of proofs")
struct ProofRulesTests {
    @Test(
        "A proof that breaks one rule is refused, and does not spend the good one",
        arguments: ProofMutation.all + ProofMutation.withAccessToken)
    func refused(_ mutation: ProofMutation) async throws {
        let backend = try Backend()
        let error = try await backend.verifier.refusal(of: backend.boundRequest(proof: { try mutation.change(&$0) }))
        #expect(error.reason.rawValue == mutation.verifierReason)
        #expect(error.status == .unauthorized)
        #expect(error.code == "invalid_dpop_proof")
        #expect(try await backend.verifier.verify(backend.boundRequest()).userID == "usr_1")
    }

    @Test("RFC 9449 §4.3 step 12: a proof without ath is refused")
    func noAccessTokenHash() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { $0.claims["ath"] = nil })
        #expect(try await backend.verifier.refusal(of: request).reason == .wrongAccessToken)
    }

    @Test("RFC 9449 §4.3 step 12: a good proof by another key than cnf.jkt is refused, as the token's fault (§7.1)")
    func otherKey() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: {
            $0.signer = PublishedKeys.otherDevice
            $0.header["jwk"] = .object(
                PublishedKeys.otherDevice.publicJWK.requiredMembers.mapValues(JSONValue.string))
        })
        let error = try await backend.verifier.refusal(of: request)
        #expect(error.reason == .wrongKey)
        #expect(error.code == "invalid_token")
    }

    @Test(
        "A proof that is valid in another form is let in, and nobody follows what it names", arguments: ProofVariant.all
    )
    func accepted(_ variant: ProofVariant) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { try variant.change(&$0) })
        #expect(try await backend.verifier.verify(request).keyThumbprint == PublishedKeys.device.keyID)
        #expect(backend.source.fetches == 1)
    }

    @Test(
        "RFC 9449 §4.3 step 9: htu is compared after normalisation (RFC 3986 §6.2.2, §6.2.3)",
        arguments: [
            "HTTPS://API.example.com/v1/orders", "https://api.example.com:443/v1/orders",
            "https://api.example.com/v1/./x/../orders", "https://api.example.com/v1/%6Frders",
        ])
    func normalised(_ url: String) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { $0.claims["htu"] = .string(url) })
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
    }

    @Test("RFC 9449 §4.3 step 8: the method is that of the request")
    func method() async throws {
        let backend = try Backend()
        var request = try backend.boundRequest()
        request.method = .post
        #expect(try await backend.verifier.refusal(of: request).reason == .wrongMethod)
    }

    @Test("RFC 9449 §4.3 step 9: the path is that of the request")
    func path() async throws {
        let backend = try Backend()
        var request = try backend.boundRequest()
        request.path = "/v1/orders/7"
        #expect(try await backend.verifier.refusal(of: request).reason == .wrongTarget)
    }

    @Test(
        "A request target that is no path does not become part of a host (RFC 9112 §3.2)",
        arguments: [".evil.example/v1/orders", "@evil.example/v1/orders", ":8443/v1/orders"])
    func target(_ path: String) async throws {
        let backend = try Backend()
        var request = try backend.boundRequest(proof: { $0.claims["htu"] = .string(Backend.resource + path) })
        request.path = path
        #expect(try await backend.verifier.refusal(of: request).reason == .wrongTarget)
    }

    @Test("A backend under several URLs takes a proof of each")
    func severalResources() async throws {
        let backend = try Backend(resources: [Backend.resource, "https://edge.example.com/api/"])
        let request = try backend.boundRequest(proof: {
            $0.claims["htu"] = "https://edge.example.com/api/v1/orders"
        })
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
        #expect(try await backend.verifier.verify(backend.boundRequest(id: "other")).userID == "usr_1")
    }

    @Test("A backend without a URL takes no proof, whatever Host says")
    func noResource() async throws {
        let backend = try Backend(resources: [])
        let request = try backend.boundRequest(proof: { $0.claims["htu"] = "http://10.0.0.7/v1/orders" })
        let error = try await backend.verifier.refusal(of: request)
        #expect(error.reason == .dpopNotOffered)
        #expect(
            error.challenge == #"Bearer error="invalid_token", error_description="this backend does not accept DPoP""#,
            "a scheme that is not taken is not offered")
    }
}
