import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The header fields of error responses.
@Suite("Verifier: WWW-Authenticate challenges")
struct ChallengeTests {
    @Test("A request without credentials gets 401 and a challenge without an error (RFC 6750 §3.1)")
    func noCredentials() async throws {
        let error = try await Backend(resources: []).verifier.rejection(of: Backend.request([]))
        #expect(error.reason == .missingCredentials)
        #expect(error.status == .unauthorized)
        #expect(error.challenge == "Bearer")
        #expect(error.code == nil)
        #expect(error.headerFields[.cacheControl] == "no-store")
    }

    // Proves: D28
    @Test("A backend that accepts DPoP offers it with the accepted algorithms (RFC 9449 §7.1)")
    func offersDPoP() async throws {
        let error = try await Backend().verifier.rejection(of: Backend.request([]))
        #expect(error.challenge == #"Bearer, DPoP algs="ES256""#)
    }

    @Test(
        "A request with an unknown scheme counts as a request without credentials (RFC 6750 §3)",
        arguments: ["Basic dTpw", "Bearer", "DPoP ", "", "x"])
    func otherSchemes(_ authorization: String) async throws {
        let error = try await Backend().verifier.rejection(of: Backend.request([authorization]))
        #expect(error.reason == .missingCredentials)
    }

    @Test("The name of the scheme is case-insensitive (RFC 9110 §11.1)", arguments: ["bearer", "BEARER", "Bearer "])
    func schemeCase(_ scheme: String) async throws {
        let backend = try Backend()
        let request = try Backend.request(["\(scheme) \(backend.token.compact())"])
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
    }

    @Test("A string is read as an Authorization header or as a bare bearer token")
    func wholeValue() async throws {
        let backend = try Backend()
        let token = try backend.token.compact()
        for value in [token, "Bearer \(token)", "bearer  \(token)"] {
            #expect(try await backend.verifier.verify(value).userID == "usr_1")
        }
        #expect(try await backend.verifier.rejection(of: "Basic dTpw").reason == .missingCredentials)
        #expect(try await backend.verifier.rejection(of: "Bearer ").reason == .missingCredentials)
        #expect(try await backend.verifier.rejection(of: "").reason == .malformed)
    }

    @Test("A string with the scheme DPoP is rejected because it has no proof (RFC 9449 §7.1)")
    func boundValue() async throws {
        let backend = try Backend()
        let value = try "DPoP \(backend.boundToken.compact())"
        let error = try await backend.verifier.rejection(of: value)
        #expect(error.reason == .missingProof)
        #expect(error.challenge?.hasPrefix(#"Bearer, DPoP error="invalid_dpop_proof""#) == true)
        #expect(try await Backend(resources: []).verifier.rejection(of: value).reason == .dpopNotOffered)
    }

    @Test("Two valid Authorization headers get 400 invalid_request (RFC 6750 §3.1)")
    func twoCredentials() async throws {
        let backend = try Backend(resources: [])
        let value = try "Bearer \(backend.token.compact())"
        let error = try await backend.verifier.rejection(of: Backend.request([value, value]))
        #expect(error.reason == .severalCredentials)
        #expect(error.status == .badRequest)
        #expect(
            error.challenge
                == #"Bearer error="invalid_request", error_description="the request has more than one Authorization header""#
        )
    }

    // Proves: D29
    @Test("An invalid bearer token gets 401 invalid_token in the Bearer challenge only (RFC 6750 §3.1, RFC 9449 §7.2)")
    func badBearer() async throws {
        let backend = try Backend()
        let token = try backend.token.with { $0.claims["exp"] = .int(1) }.compact()
        for error in [
            try await backend.verifier.rejection(of: token),
            try await backend.verifier.rejection(of: Backend.request(["Bearer \(token)"])),
        ] {
            #expect(error.status == .unauthorized)
            #expect(
                error.challenge
                    == #"Bearer error="invalid_token", error_description="the token is expired", DPoP algs="ES256""#)
        }
    }

    // Proves: D28
    @Test("An invalid proof gets 401 invalid_dpop_proof in the DPoP challenge only (RFC 9449 §7.1)")
    func badProof() async throws {
        let backend = try Backend()
        let error = try await backend.verifier.rejection(of: backend.boundRequest(proof: { $0.claims["htm"] = "PUT" }))
        #expect(error.status == .unauthorized)
        #expect(
            error.challenge
                == #"Bearer, DPoP error="invalid_dpop_proof", error_description="the proof is for another method", algs="ES256""#
        )
    }

    @Test("A token is accepted with and without its scheme in front", arguments: ["Bearer ", "bearer ", ""])
    func wholeHeader(_ prefix: String) async throws {
        let backend = try Backend()
        #expect(try await backend.verifier.verify(prefix + backend.token.compact()).userID == "usr_1")
    }

    @Test("The error for a token contains no part of the token", arguments: TokenMutation.all)
    func nothingSecret(_ mutation: TokenMutation) async throws {
        let backend = try Backend()
        let token = try backend.token.with { try mutation.change(&$0) }.compact()
        let error = try await backend.verifier.rejection(of: token)
        let texts = "\(error) \(error.headerFields)"
        for part in token.split(separator: ".") where part.count > 8 { #expect(!texts.contains(part)) }
        #expect(!texts.contains("usr_1"))
    }
}
