import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// The nonce rules of RFC 9449 §8, §9 and §11.3. The verifier stores used proofs, but no state of clients.
@Suite("Verifier: nonce rules")
struct NonceRulesTests {
    private static let other = "https://other.example.com"

    private func backend(_ policy: NoncePolicy = .always(secret: Backend.secret)) throws -> Backend {
        try Backend { $0.nonces = policy }
    }

    @Test("A nonce of another backend with the same secret is rejected (RFC 9449 §8, D12, D33)")
    func otherResource() async throws {
        let (mine, other) = (
            try backend(), try Backend(resources: [Self.other]) { $0.nonces = .always(secret: Backend.secret) }
        )
        let nonce = try #require(other.verifier.nextNonce)
        // The nonce is valid at its own backend.
        let there = try other.boundRequest(
            nonce: nonce, proof: { $0.claims["htu"] = .string(Self.other + "/v1/orders") })
        #expect(try await other.verifier.verify(there).userID == "usr_1")
        #expect(try await mine.verifier.rejection(of: mine.boundRequest(nonce: nonce)).reason == .nonceRequired)
    }

    @Test("A nonce is valid for its window and the next one, and no longer (RFC 9449 §8, D12, D33)")
    func expired() async throws {
        let backend = try backend()
        let nonce = try #require(backend.verifier.nextNonce)
        // The clock is 40 seconds after a full minute.
        backend.clock.advance(79)
        #expect(try await backend.verifier.verify(backend.boundRequest(nonce: nonce)).userID == "usr_1")
        backend.clock.advance(1)
        let late = try backend.boundRequest(id: "late", nonce: nonce)
        #expect(try await backend.verifier.rejection(of: late).reason == .nonceRequired)
    }

    @Test("Rejections and successes have one nonce each, with allowed characters (RFC 9449 §8.1, D31)")
    func syntax() async throws {
        let backend = try backend()
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let rejection = try await backend.verifier.rejection(of: backend.boundRequest())
        for fields in [rejection.headerFields, backend.verifier.nextHeaderFields] {
            #expect(fields[values: name].count == 1)
            let nonce = try #require(fields[name])
            #expect(nonce.utf8.count >= 22)
            #expect(nonce.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
        }
    }

    @Test("A proof without a required nonce gets 401 use_dpop_nonce with the nonce (RFC 9449 §9, D32)")
    func needed() async throws {
        let error = try await backend().verifier.rejection(of: backend().boundRequest())
        #expect(error.status == .unauthorized)
        #expect(error.challenge?.contains(#"DPoP error="use_dpop_nonce""#) == true)
        #expect(error.nonce != nil)
    }

    @Test("Responses with a nonce have Cache-Control: no-store (RFC 9449 §8.2, D35)")
    func uncacheable() async throws {
        let backend = try backend()
        #expect(backend.verifier.nextHeaderFields[.cacheControl] == "no-store")
        let error = try await backend.verifier.rejection(of: backend.boundRequest())
        #expect(error.headerFields[.cacheControl] == "no-store")
    }

    @Test("If nonces are required, a proof without one is always rejected (RFC 9449 §11.3, D36)")
    func downgrade() async throws {
        let backend = try backend()
        for round in 0..<3 {
            let bare = try backend.boundRequest(id: "bare \(round)")
            #expect(try await backend.verifier.rejection(of: bare).reason == .nonceRequired)
            let valid = try backend.boundRequest(id: "valid \(round)", nonce: backend.verifier.nextNonce)
            #expect(try await backend.verifier.verify(valid).userID == "usr_1")
        }
    }

    @Test(
        "If nonces are for wrong clocks only, a proof with a valid iat needs none (RFC 9449 §11.3, D36)")
    func noMemory() async throws {
        let backend = try backend(.whenNeeded(secret: Backend.secret))
        let late = try backend.boundRequest(id: "late", proof: { $0.claims["iat"] = .int(1_600_000_000) })
        #expect(try await backend.verifier.rejection(of: late).nonce != nil)
        #expect(try await backend.verifier.verify(backend.boundRequest()).userID == "usr_1")
    }

    @Test("A proof from the near future is accepted because clocks differ (RFC 9449 §11.1, D14)")
    func future() async throws {
        let backend = try Backend()
        let early = try backend.boundRequest(proof: { $0.claims["iat"] = .int(backend.clock.seconds + 60) })
        #expect(try await backend.verifier.verify(early).userID == "usr_1")
    }

    @Test("A repeated proof is rejected, and a fresh one for the same request accepted (RFC 9449 §7.3, D30)")
    func repeated() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest()
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
        let error = try await backend.verifier.rejection(of: request)
        #expect(error.reason == .replayedProof && error.code == "invalid_dpop_proof")
        #expect(try await backend.verifier.verify(backend.boundRequest(id: "fresh")).userID == "usr_1")
    }
}
