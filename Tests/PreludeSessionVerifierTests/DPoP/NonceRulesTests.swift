import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// RFC 9449 §8, §9 and §11.3 at a verifier, which remembers proofs and no clients.
@Suite("Verifier: rules of nonces")
struct NonceRulesTests {
    private static let other = "https://other.example.com"

    private func backend(_ policy: NoncePolicy = .always(secret: Backend.secret)) throws -> Backend {
        try Backend { $0.nonces = policy }
    }

    @Test("D12 D33 (RFC 9449 §8): a nonce of another backend with the same secret is refused")
    func otherResource() async throws {
        let (mine, other) = (
            try backend(), try Backend(resources: [Self.other]) { $0.nonces = .always(secret: Backend.secret) }
        )
        let nonce = try #require(other.verifier.nextNonce)
        // It is good where it is from.
        let there = try other.boundRequest(
            nonce: nonce, proof: { $0.claims["htu"] = .string(Self.other + "/v1/orders") })
        #expect(try await other.verifier.verify(there).userID == "usr_1")
        #expect(try await mine.verifier.refusal(of: mine.boundRequest(nonce: nonce)).reason == .nonceRequired)
    }

    @Test("D12 D33 (RFC 9449 §8): a nonce of the window before is good, and one of the window before that is not")
    func expired() async throws {
        let backend = try backend()
        let nonce = try #require(backend.verifier.nextNonce)
        // The clock stands at 40 seconds after a whole minute.
        backend.clock.advance(79)
        #expect(try await backend.verifier.verify(backend.boundRequest(nonce: nonce)).userID == "usr_1")
        backend.clock.advance(1)
        let late = try backend.boundRequest(id: "late", nonce: nonce)
        #expect(try await backend.verifier.refusal(of: late).reason == .nonceRequired)
    }

    @Test("D31 (RFC 9449 §8.1): a refusal and a good answer have one nonce each, of characters that a header may have")
    func syntax() async throws {
        let backend = try backend()
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let refusal = try await backend.verifier.refusal(of: backend.boundRequest())
        for fields in [refusal.headerFields, backend.verifier.nextHeaderFields] {
            #expect(fields[values: name].count == 1)
            let nonce = try #require(fields[name])
            #expect(nonce.utf8.count >= 22)
            #expect(nonce.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
        }
    }

    @Test("D32 (RFC 9449 §9): without the nonce that is needed the answer is 401 use_dpop_nonce, with the nonce")
    func needed() async throws {
        let error = try await backend().verifier.refusal(of: backend().boundRequest())
        #expect(error.status == .unauthorized)
        #expect(error.challenge?.contains(#"DPoP error="use_dpop_nonce""#) == true)
        #expect(error.nonce != nil)
    }

    @Test("D35 (RFC 9449 §8.2): no answer with a nonce may be kept")
    func uncacheable() async throws {
        let backend = try backend()
        #expect(backend.verifier.nextHeaderFields[.cacheControl] == "no-store")
        let error = try await backend.verifier.refusal(of: backend.boundRequest())
        #expect(error.headerFields[.cacheControl] == "no-store")
    }

    @Test("D36 (RFC 9449 §11.3): where a nonce is always needed, none is accepted before or after one was given")
    func downgrade() async throws {
        let backend = try backend()
        for round in 0..<3 {
            let bare = try backend.boundRequest(id: "bare \(round)")
            #expect(try await backend.verifier.refusal(of: bare).reason == .nonceRequired)
            let good = try backend.boundRequest(id: "good \(round)", nonce: backend.verifier.nextNonce)
            #expect(try await backend.verifier.verify(good).userID == "usr_1")
        }
    }

    @Test(
        "D36 (RFC 9449 §11.3): where one is needed for a wrong clock only, a right clock is as good, as without nonces")
    func noMemory() async throws {
        let backend = try backend(.whenNeeded(secret: Backend.secret))
        let late = try backend.boundRequest(id: "late", proof: { $0.claims["iat"] = .int(1_600_000_000) })
        #expect(try await backend.verifier.refusal(of: late).nonce != nil)
        #expect(try await backend.verifier.verify(backend.boundRequest()).userID == "usr_1")
    }

    @Test("D14 (RFC 9449 §11.1): a proof may be from the near future, as clocks differ")
    func future() async throws {
        let backend = try Backend()
        let early = try backend.boundRequest(proof: { $0.claims["iat"] = .int(backend.clock.seconds + 60) })
        #expect(try await backend.verifier.verify(early).userID == "usr_1")
    }

    @Test("D30 (RFC 9449 §7.3): a repeat is told from a fresh proof for the same request")
    func repeated() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest()
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
        let error = try await backend.verifier.refusal(of: request)
        #expect(error.reason == .replayedProof && error.code == "invalid_dpop_proof")
        #expect(try await backend.verifier.verify(backend.boundRequest(id: "fresh")).userID == "usr_1")
    }
}
