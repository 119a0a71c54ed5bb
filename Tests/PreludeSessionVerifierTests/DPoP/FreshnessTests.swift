import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// Times, nonces and replays of proofs (RFC 9449 §4.3 steps 10 and 11, §8, §9 and §11.1).
@Suite("Verifier: fresh proofs")
struct FreshnessTests {
    // Proves: D13
    @Test(
        "A proof is accepted if its iat differs from the clock by at most the window (RFC 9449 §11.1)",
        arguments: [-1.0, 1.0])
    func window(_ sign: Double) async throws {
        let backend = try Backend()
        let inside = try backend.boundRequest(proof: { $0.claims["iat"] = .double(1_750_000_000 + sign * 60) })
        #expect(try await backend.verifier.verify(inside).userID == "usr_1")
        let outside = try backend.boundRequest(
            id: "other", proof: { $0.claims["iat"] = .double(1_750_000_000 + sign * 60.5) })
        let error = try await backend.verifier.rejection(of: outside)
        #expect(error.reason == .staleProof)
        #expect(error.code == "invalid_dpop_proof")
        #expect(error.nonce == nil)
    }

    // Proves: D15
    @Test("A proof is accepted once while its iat is inside the window (RFC 9449 §11.1)", arguments: [0.0, 59, 60])
    func replay(_ later: Double) async throws {
        let backend = try Backend()
        let request = try backend.boundRequest()
        _ = try await backend.verifier.verify(request)
        backend.clock.advance(later)
        let error = try await backend.verifier.rejection(of: request)
        #expect(error.reason == .replayedProof)
        #expect(error.code == "invalid_dpop_proof")
    }

    // Proves: D15
    @Test("A proof from the future is stored until it expires (RFC 9449 §11.1)")
    func replayFromTheFuture() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest(proof: { $0.claims["iat"] = .int(backend.clock.seconds + 60) })
        _ = try await backend.verifier.verify(request)
        backend.clock.advance(120)
        #expect(try await backend.verifier.rejection(of: request).reason == .replayedProof)
        backend.clock.advance(1)
        #expect(try await backend.verifier.rejection(of: request).reason == .staleProof)
    }

    @Test("A proof with a used jti is rejected even with a new signature (RFC 9449 §11.1)")
    func sameID() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.boundRequest())
        backend.clock.advance(1)
        #expect(try await backend.verifier.rejection(of: backend.boundRequest()).reason == .replayedProof)
    }

    @Test(
        "If every proof needs a nonce, the error for a proof without one contains the nonce (RFC 9449 §4.3 step 10, §9)"
    )
    func nonceRequired() async throws {
        let backend = try Backend { $0.nonces = .always(secret: Backend.secret) }
        let error = try await backend.verifier.rejection(of: backend.boundRequest())
        #expect(error.reason == .nonceRequired)
        #expect(error.status == .unauthorized)
        #expect(error.challenge?.hasPrefix(#"Bearer, DPoP error="use_dpop_nonce""#) == true)
        let nonce = try #require(error.nonce)
        #expect(error.headerFields[values: try #require(.init("DPoP-Nonce"))] == [nonce])
        #expect(error.headerFields[.cacheControl] == "no-store")
        #expect(try await backend.verifier.verify(backend.boundRequest(nonce: nonce)).userID == "usr_1")
    }

    // Proves: D34
    @Test("If every proof needs a nonce, the next nonce is in the fields for successful responses (RFC 9449 §8.2)")
    func nextNonce() async throws {
        let always = try Backend { $0.nonces = .always(secret: Backend.secret) }
        let nonce = try #require(always.verifier.nextNonce)
        #expect(try await always.verifier.verify(always.boundRequest(nonce: nonce)).userID == "usr_1")
        #expect(try Backend().verifier.nextNonce == nil)
        #expect(try Backend { $0.nonces = .whenNeeded(secret: Backend.secret) }.verifier.nextNonce == nil)
    }

    // Proves: D33
    @Test(
        "An unknown or expired nonce is rejected, and the error contains a new nonce (RFC 9449 §8)",
        arguments: ["", "unknown", "of another", "old"])
    func otherNonces(_ kind: String) async throws {
        let backend = try Backend { $0.nonces = .always(secret: Backend.secret) }
        let other = try Backend { $0.nonces = .always(secret: Data(repeating: 8, count: 32)) }
        let nonce =
            switch kind {
            case "of another": try #require(other.verifier.nextNonce)
            case "old": try #require(backend.verifier.nextNonce)
            default: kind
            }
        if kind == "old" { backend.clock.advance(2 * 60) }
        let error = try await backend.verifier.rejection(of: backend.boundRequest(nonce: nonce))
        #expect(error.reason == .nonceRequired)
        #expect(error.nonce == backend.verifier.nextNonce)
    }

    @Test("Nodes accept each other's nonces while they change to another secret (RFC 9449 §8)")
    func changingSecret() async throws {
        let new = Data(repeating: 8, count: 32)
        let behind = try Backend { $0.nonces = .always(secret: Backend.secret, older: [new]) }
        let ahead = try Backend { $0.nonces = .whenNeeded(secret: new, older: [Backend.secret]) }
        let nonce = try #require(behind.verifier.nextNonce)
        #expect(try await ahead.verifier.verify(ahead.boundRequest(nonce: nonce)).userID == "usr_1")
        let after = try Backend { $0.nonces = .always(secret: new) }
        #expect(try await after.verifier.rejection(of: after.boundRequest(nonce: nonce)).reason == .nonceRequired)
        #expect(after.verifier.nextNonce != nonce)
    }

    @Test("Two backends with one secret issue different nonces (RFC 9449 §8)")
    func nonceOfOtherResource() async throws {
        let backend = try Backend { $0.nonces = .always(secret: Backend.secret) }
        let other = try Backend(resources: ["https://other.example.com"]) {
            $0.nonces = .always(secret: Backend.secret)
        }
        #expect(backend.verifier.nextNonce != other.verifier.nextNonce)
    }

    @Test("A device with a wrong clock is accepted with a nonce (RFC 9449 §11.1)")
    func wrongClock() async throws {
        let backend = try Backend { $0.nonces = .whenNeeded(secret: Backend.secret) }
        let late: (inout ProofDraft) -> Void = { $0.claims["iat"] = .int(1_600_000_000) }
        let error = try await backend.verifier.rejection(of: backend.boundRequest(proof: late))
        #expect(error.reason == .nonceRequired)
        let nonce = try #require(error.nonce)
        let request = try backend.boundRequest(nonce: nonce, proof: late)
        #expect(try await backend.verifier.verify(request).userID == "usr_1")
        #expect(try await backend.verifier.rejection(of: request).reason == .replayedProof)
    }

    @Test("A proof with an unknown nonce is rejected even if its iat is valid (RFC 9449 §8)")
    func staleNonceInTime() async throws {
        let backend = try Backend { $0.nonces = .whenNeeded(secret: Backend.secret) }
        #expect(try await backend.verifier.verify(backend.boundRequest(id: "no nonce")).userID == "usr_1")
        let error = try await backend.verifier.rejection(of: backend.boundRequest(nonce: "unknown"))
        #expect(error.reason == .nonceRequired)
    }

    @Test("A proof with a nonce is stored until the nonce expires")
    func replayByNonce() async throws {
        let backend = try Backend { $0.nonces = .always(secret: Backend.secret) }
        let request = try backend.boundRequest(
            nonce: backend.verifier.nextNonce, token: { $0.claims["exp"] = .int(1_750_010_000) })
        _ = try await backend.verifier.verify(request)
        var rejections: Set<String> = []
        for _ in 0..<13 {
            backend.clock.advance(10)
            rejections.insert(try await backend.verifier.rejection(of: request).reason.rawValue)
        }
        #expect(rejections == ["replayed_proof", "nonce_required"])
    }

    @Test(
        "The guard receives the user and an end 30 seconds after the proof expires",
        arguments: [true, false])
    func storedProof(_ hasNonce: Bool) async throws {
        actor RecordingGuard: ReplayGuard {
            var proofs: [UsedProof] = []
            func reserve(_ proof: UsedProof, now: Date) -> Bool {
                proofs.append(proof)
                return true
            }
        }
        let recording = RecordingGuard()
        let backend = try Backend {
            $0.nonces = .whenNeeded(secret: Backend.secret)
            $0.replayGuard = recording
        }
        let always = try Backend { $0.nonces = .always(secret: Backend.secret) }
        _ = try await backend.verifier.verify(
            backend.boundRequest(nonce: hasNonce ? always.verifier.nextNonce : nil))
        let stored = try #require(await recording.proofs.first)
        #expect(stored.userID == "usr_1")
        #expect(stored.id.count == 43)
        // The clock is 40 seconds after a full minute.
        #expect(stored.end.timeIntervalSince1970 == 1_750_000_000 + (hasNonce ? 80 : 60) + 30)
    }

    @Test("Two verifiers with one guard accept a proof once")
    func sharedGuard() async throws {
        let shared = InMemoryReplayGuard()
        let one = try Backend { $0.replayGuard = shared }
        let other = try Backend { $0.replayGuard = shared }
        let request = try one.boundRequest()
        _ = try await one.verifier.verify(request)
        #expect(try await other.verifier.rejection(of: request).reason == .replayedProof)
    }

    @Test("Of 32 concurrent requests with one proof exactly one is accepted")
    func race() async throws {
        let backend = try Backend()
        let request = try backend.boundRequest()
        let accepted = await withTaskGroup { group in
            for _ in 0..<32 { group.addTask { (try? await backend.verifier.verify(request)) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
    }

    @Test("A guard that throws leads to 503 without a challenge")
    func guardDown() async throws {
        struct Down: ReplayGuard, Error {
            func reserve(_ proof: UsedProof, now: Date) async throws -> Bool { throw self }
        }
        let backend = try Backend { $0.replayGuard = Down() }
        let error = try await backend.verifier.rejection(of: backend.boundRequest())
        #expect(error.reason == .replayGuardUnavailable)
        #expect(error.status == .serviceUnavailable)
        #expect(error.headerFields[.retryAfter] == "1")
        #expect(error.challenge == nil)
        #expect(error.code == nil)
    }

    // Proves: R20
    @Test("A proof that is rejected for another reason is not stored")
    func rejectedBefore() async throws {
        let backend = try Backend()
        // All with the same key and `jti`.
        let rejected = try [
            backend.boundRequest(proof: { $0.claims["iat"] = .int(1_600_000_000) }),
            backend.boundRequest(token: { $0.claims["exp"] = .int(1_600_000_000) }),
            backend.boundRequest(token: { $0.claims["cnf"] = .object(["jkt": .string("another key")]) }),
        ]
        for request in rejected { _ = try await backend.verifier.rejection(of: request) }
        #expect(try await backend.verifier.verify(backend.boundRequest()).userID == "usr_1")
    }
}
