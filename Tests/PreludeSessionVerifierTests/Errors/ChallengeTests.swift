import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The header fields of refusals.
@Suite("Verifier: challenges")
struct ChallengeTests {
    @Test("RFC 6750 §3.1: a request without credentials is 401, and nothing is blamed")
    func noCredentials() async throws {
        let error = try await Backend(resources: []).verifier.refusal(of: Backend.request([]))
        #expect(error.reason == .missingCredentials)
        #expect(error.status == .unauthorized)
        #expect(error.challenge == "Bearer")
        #expect(error.code == nil)
        #expect(error.headerFields[.cacheControl] == "no-store")
    }

    @Test("RFC 9449 §7.1: a backend that takes DPoP says so, with the algorithms")
    func offersDPoP() async throws {
        let error = try await Backend().verifier.refusal(of: Backend.request([]))
        #expect(error.challenge == #"Bearer, DPoP algs="ES256""#)
    }

    @Test(
        "RFC 6750 §3: a scheme that is not known is no credentials",
        arguments: ["Basic dTpw", "Bearer", "DPoP ", "", "x"])
    func otherSchemes(_ authorization: String) async throws {
        let error = try await Backend().verifier.refusal(of: Backend.request([authorization]))
        #expect(error.reason == .missingCredentials)
    }

    @Test("RFC 9110 §11.1: the scheme's name has no case", arguments: ["bearer", "BEARER", "Bearer "])
    func schemeCase(_ scheme: String) async throws {
        let backend = try Backend()
        let request = try Backend.request(["\(scheme) \(backend.token.compact())"])
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
    }

    @Test("The value of Authorization is read as in a request, and a bare token is a bearer token")
    func wholeValue() async throws {
        let backend = try Backend()
        let token = try backend.token.compact()
        for value in [token, "Bearer \(token)", "bearer  \(token)"] {
            #expect(try await backend.verifier.verify(value).userID == "usr_1")
        }
        #expect(try await backend.verifier.refusal(of: "Basic dTpw").reason == .missingCredentials)
        #expect(try await backend.verifier.refusal(of: "Bearer ").reason == .missingCredentials)
        #expect(try await backend.verifier.refusal(of: "").reason == .malformed)
    }

    @Test("RFC 9449 §7.1: the scheme DPoP needs a request with a proof, which a string cannot have")
    func boundValue() async throws {
        let backend = try Backend()
        let value = try "DPoP \(backend.boundToken.compact())"
        let error = try await backend.verifier.refusal(of: value)
        #expect(error.reason == .missingProof)
        #expect(error.challenge?.hasPrefix(#"Bearer, DPoP error="invalid_dpop_proof""#) == true)
        #expect(try await Backend(resources: []).verifier.refusal(of: value).reason == .dpopNotOffered)
    }

    @Test("RFC 6750 §3.1: two Authorization headers are 400 invalid_request, though both are good")
    func twoCredentials() async throws {
        let backend = try Backend(resources: [])
        let value = try "Bearer \(backend.token.compact())"
        let error = try await backend.verifier.refusal(of: Backend.request([value, value]))
        #expect(error.reason == .severalCredentials)
        #expect(error.status == .badRequest)
        #expect(
            error.challenge
                == #"Bearer error="invalid_request", error_description="the request has more than one Authorization header""#
        )
    }

    @Test("RFC 6750 §3.1: a bad token is 401 invalid_token, under Bearer only (RFC 9449 §7.2)")
    func badBearer() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["exp"] = .int(1) }.compact()
        for error in [
            try await backend.verifier.refusal(of: token),
            try await backend.verifier.refusal(of: Backend.request(["Bearer \(token)"])),
        ] {
            #expect(error.status == .unauthorized)
            #expect(
                error.challenge
                    == #"Bearer error="invalid_token", error_description="the token is expired", DPoP algs="ES256""#)
        }
    }

    @Test("RFC 9449 §7.1: a bad proof is 401 invalid_dpop_proof, under DPoP only")
    func badProof() async throws {
        let backend = try Backend()
        let error = try await backend.verifier.refusal(of: backend.boundRequest(proof: { $0.claims["htm"] = "PUT" }))
        #expect(error.status == .unauthorized)
        #expect(
            error.challenge
                == #"Bearer, DPoP error="invalid_dpop_proof", error_description="the proof is for another method", algs="ES256""#
        )
    }

    @Test("A token is taken with its scheme in front, as Authorization has it", arguments: ["Bearer ", "bearer ", ""])
    func wholeHeader(_ prefix: String) async throws {
        let backend = try Backend()
        #expect(try await backend.verifier.verify(prefix + backend.token.compact()).userID == "usr_1")
    }

    @Test("Nothing of a token is in its refusal", arguments: TokenMutation.all)
    func nothingSecret(_ mutation: TokenMutation) async throws {
        let backend = try Backend()
        let token = try backend.token.with { try mutation.change(&$0) }.compact()
        let error = try await backend.verifier.refusal(of: token)
        let told = "\(error) \(error.headerFields)"
        for part in token.split(separator: ".") where part.count > 8 { #expect(!told.contains(part)) }
        #expect(!told.contains("usr_1"))
    }
}
