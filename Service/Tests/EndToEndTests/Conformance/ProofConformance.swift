import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

/// RFC 9449 at the service. The names of the mutations contain the rules.
@Suite("Service: rules of proofs")
struct ProofConformance {
    /// One device for all tests, because a rejected refresh changes nothing.
    private static let device = Task { try await RawDevice(ServiceWorld()) }

    // Proves: D20, P6
    @Test("A refresh with a proof that breaks one rule is rejected", arguments: ProofMutation.all)
    func refused(_ mutation: ProofMutation) async throws {
        let answer = try await Self.device.value.refresh(proof: { try mutation.change(&$0) })
        if mutation.expected == .missing {
            #expect(answer.status == 401)
            #expect(answer.code == "missing_dpop_proof")
        } else {
            #expect(answer.status == 400)
            #expect(answer.code == "invalid_dpop_proof")
        }
    }

    @Test("Invalid proofs do not end the session")
    func livesOn() async throws {
        let device = try await RawDevice(ServiceWorld())
        for mutation in ProofMutation.all { _ = try await device.refresh(proof: { try mutation.change(&$0) }) }
        #expect(try await device.refresh().status == 200)
    }

    @Test(
        "A proof with the hash of another access token is rejected",
        arguments: ProofMutation.withAccessToken)
    func accessToken(_ mutation: ProofMutation) async throws {
        let device = try await RawDevice(ServiceWorld())
        let answer = try await device.refresh(bearer: device.accessToken, proof: { try mutation.change(&$0) })
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_dpop_proof")
        #expect(try await device.refresh(bearer: device.accessToken).status == 200)
    }

    // Proves: D18
    @Test("A refresh token is valid only with the key that it was issued to (RFC 9449 §5)")
    func otherKey() async throws {
        let device = try await RawDevice(ServiceWorld())
        let answer = try await device.refresh(proof: {
            $0.signer = PublishedKeys.otherDevice
            $0.header["jwk"] = .object(
                PublishedKeys.otherDevice.publicJWK.requiredMembers.mapValues(JSONValue.string))
        })
        #expect(answer.status == 401)
        #expect(answer.code == "dpop_key_mismatch")
        #expect(try await device.refresh().status == 200)
    }

    // Proves: D15
    @Test("A proof is valid once (RFC 9449 §11.1)")
    func replay() async throws {
        var device = try await RawDevice(ServiceWorld())
        try device.take(await device.refresh())
        let again = try await device.refresh()
        #expect(again.status == 400)
        #expect(again.code == "invalid_dpop_proof")
    }

    // Proves: X9
    @Test("A refresh request that arrives twice is rejected the second time, and the session goes on (RFC 9449 §11.1)")
    func replayOfTheRequest() async throws {
        var device = try await RawDevice(ServiceWorld())
        let answer = try await device.refresh()
        let copy = try await device.refresh()
        #expect(copy.status == 400)
        #expect(copy.code == "invalid_dpop_proof")
        try device.take(answer)
        #expect(try await device.refresh(id: "fresh").status == 200)
    }
}
