import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

/// RFC 9449 before the service, rule by rule: the rules are in the names of the mutations.
@Suite("Service: rules of proofs")
struct ProofConformance {
    @Test("A proof that breaks one rule refreshes nothing, and the session lives on", arguments: ProofMutation.all)
    func refused(_ mutation: ProofMutation) async throws {
        let device = try await ForeignDevice(World())
        let answer = try await device.refresh(proof: { try mutation.change(&$0) })
        if mutation.expected == .missing {
            #expect(answer.status == 401)
            #expect(answer.code == "missing_dpop_proof")
        } else {
            #expect(answer.status == 400)
            #expect(answer.code == "invalid_dpop_proof")
        }
        #expect(try await device.refresh().status == 200)
    }

    @Test(
        "A proof that goes with an access token and has the hash of another is refused",
        arguments: ProofMutation.withAccessToken)
    func accessToken(_ mutation: ProofMutation) async throws {
        let device = try await ForeignDevice(World())
        let answer = try await device.refresh(bearer: device.accessToken, proof: { try mutation.change(&$0) })
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_dpop_proof")
        #expect(try await device.refresh(bearer: device.accessToken).status == 200)
    }

    @Test("RFC 9449 §4.3 step 9: query and fragment of htu do not matter to the service", arguments: ["?a=1", "#x"])
    func equivalent(_ suffix: String) async throws {
        let device = try await ForeignDevice(World())
        let answer = try await device.refresh(proof: {
            $0.claims["htu"] = .string(World.origin + "/v1/session/refresh" + suffix)
        })
        #expect(answer.status == 200)
    }

    @Test("RFC 9449 §5: a refresh token is good with the key that it was issued to, and with no other")
    func otherKey() async throws {
        let device = try await ForeignDevice(World())
        let answer = try await device.refresh(proof: {
            $0.signer = PublishedKeys.otherDevice
            $0.header["jwk"] = .object(
                PublishedKeys.otherDevice.publicJWK.requiredMembers.mapValues(JSONValue.string))
        })
        #expect(answer.status == 401)
        #expect(answer.code == "dpop_key_mismatch")
        #expect(try await device.refresh().status == 200)
    }

    @Test("RFC 9449 §11.1: a proof is good once")
    func replay() async throws {
        var device = try await ForeignDevice(World())
        try device.take(await device.refresh())
        let again = try await device.refresh()
        #expect(again.status == 400)
        #expect(again.code == "invalid_dpop_proof")
    }

    @Test("RFC 9449 §11.1: a whole request that is sent again is reuse of its refresh token, and ends the session")
    func replayOfTheRequest() async throws {
        var device = try await ForeignDevice(World())
        let answer = try await device.refresh()
        #expect(try await device.refresh().status == 401)
        try device.take(answer)
        #expect(try await device.refresh(id: "fresh").status == 401)
    }

    @Test(
        "RFC 9449 §8: a proof out of time is 400 use_dpop_nonce with one nonce that cannot be kept",
        arguments: [-600, 600])
    func outOfTime(_ offset: Int64) async throws {
        let world = try await World()
        let device = try await ForeignDevice(world)
        let iat = JSONValue.int(world.clock.timestamp.seconds + offset)
        let answer = try await device.refresh(proof: { $0.claims["iat"] = iat })
        #expect(answer.status == 400)
        #expect(answer.code == "use_dpop_nonce")
        let nonce = try #require(answer.nonce)
        #expect(answer.head.headerFields[values: try #require(.init("dpop-nonce"))].count == 1)
        #expect(answer.head.headerFields[.cacheControl] == "no-store")
        #expect(
            try await device.refresh(id: "with nonce", nonce: nonce, proof: { $0.claims["iat"] = iat }).status == 200)
    }

    @Test("RFC 9449 §8: a nonce that is not the service's is refused though iat is right", arguments: ["", "unknown"])
    func unknownNonce(_ nonce: String) async throws {
        let device = try await ForeignDevice(World())
        let answer = try await device.refresh(nonce: nonce)
        #expect(answer.status == 400)
        #expect(answer.code == "use_dpop_nonce")
    }

    @Test("RFC 9449 §11.3: who was given a nonce needs one from then on")
    func nonceDowngrade() async throws {
        let world = try await World()
        let device = try await ForeignDevice(world)
        let nonce = try #require(try await device.refresh(nonce: "unknown").nonce)
        #expect(try await device.refresh(id: "without").code == "use_dpop_nonce")
        #expect(try await device.refresh(id: "with", nonce: nonce).status == 200)
    }
}
