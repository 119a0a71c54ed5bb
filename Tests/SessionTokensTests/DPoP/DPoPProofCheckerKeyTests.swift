import Crypto
import Foundation
import SessionTokens
import Testing

/// RFC 9449 §4.3 steps 6 and 7: the signature, and the key in the header.
@Suite("DPoP proof: key and signature")
struct DPoPProofCheckerKeyTests {
    private let valid = RefreshProofDraft()

    /// A draft whose header key has one member set, or taken out.
    private func draft(jwk member: String, _ value: JSONValue?) -> RefreshProofDraft {
        valid.with {
            guard case .object(var members)? = $0.header["jwk"] else { return }
            members[member] = value
            $0.header["jwk"] = .object(members)
        }
    }

    @Test("D7, J3 (§4.3 step 6): a proof signed by another key than the one it shows is refused")
    func signedByAnotherKey() {
        let draft = valid.with { $0.signer = RFCKey.rfc7517A2 }
        #expect(throws: DPoPError.invalidSignature) { try draft.check() }
    }

    @Test("D7 (§4.3 step 6): claims exchanged under a signature are refused")
    func exchangedClaims() throws {
        let parts = try valid.compact().split(separator: ".")
        let claims = valid.with { $0.claims["jti"] = "another" }.claims
        let proof = try "\(parts[0]).\(Base64URL.encode(TokenJSON.encode(claims))).\(parts[2])"
        #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
    }

    @Test("D7 (§4.3 step 6): a signature with any one bit flipped is refused", arguments: [0, 7, 255, 256, 300, 511])
    func flippedBit(_ bit: Int) throws {
        let parts = try valid.compact().split(separator: ".")
        var signature = try #require(Base64URL.decode(parts[2]))
        signature[bit / 8] ^= 1 << UInt8(bit % 8)
        let proof = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
        #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
    }

    @Test("D7 (§4.3 step 6): signatures of another length, the empty one and all zeros are refused")
    func malformedSignatures() throws {
        let parts = try valid.compact().split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2]))
        let malformed = [
            Data(), signature.dropLast(), signature + [0], Data(count: 64), Data(repeating: 0xFF, count: 64),
        ]
        for bytes in malformed {
            let proof = "\(parts[0]).\(parts[1]).\(Base64URL.encode(bytes))"
            #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
        }
    }

    @Test("D7 (§4.3 step 6): an ASN.1 signature is refused, JWS wants r ‖ s (RFC 7518 §3.4)")
    func derSignature() throws {
        let parts = try valid.compact().split(separator: ".")
        guard case .p256(let key) = valid.signer.material else { throw JWKError.unsupportedKey }
        let der = try key.signature(for: Data("\(parts[0]).\(parts[1])".utf8)).derRepresentation
        let proof = "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))"
        #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
    }

    @Test("D7 (§4.3 step 6): an alg inside the key neither helps nor hinders, the header's counts")
    func algorithmInsideKey() throws {
        #expect(try draft(jwk: "alg", "none").check().key == valid.signer.publicJWK)
    }

    @Test(
        "D8 (§4.3 step 7): a private or symmetric member in the key is refused, whatever it holds",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"], [JSONValue.string("AQ"), .string(""), .null]
    )
    func privateMember(_ member: String, _ value: JSONValue) {
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: member, value).check() }
    }

    @Test("J4, T4: a point that is not on the curve is refused")
    func offTheCurve() throws {
        let x = try #require(valid.signer.publicJWK.requiredMembers["x"])
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "y", .string(x)).check() }
    }

    @Test("T4: a coordinate that is missing, short, long or not canonical base64url is refused")
    func malformedCoordinate() throws {
        let x = try #require(valid.signer.publicJWK.requiredMembers["x"])
        let bytes = try #require(Base64URL.decode(x))
        let malformed: [JSONValue?] = [
            nil, .string(""), .string(x + "="), .string(Base64URL.encode(bytes.dropFirst())),
            .string(Base64URL.encode([0] + bytes)), .string(x.replacingOccurrences(of: "_", with: "/")),
        ]
        for value in malformed where value != .string(x) {
            #expect(throws: DPoPError.invalidKey) { try draft(jwk: "x", value).check() }
        }
    }

    @Test("T4: stray trailing bits would give one key two spellings, and are refused")
    func strayTrailingBits() throws {
        let x = try #require(valid.signer.publicJWK.requiredMembers["x"])
        #expect(x.hasSuffix("U"))
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "x", .string(x.dropLast() + "V")).check() }
    }

    @Test("J1: a key of another kind under alg ES256 is refused")
    func anotherKind() {
        let members = RFCKey.rfc8037A1.publicJWK.requiredMembers.mapValues(JSONValue.string)
        let ed25519 = valid.with { $0.header["jwk"] = .object(members) }
        #expect(throws: DPoPError.invalidKey) { try ed25519.check() }
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "crv", "P-384").check() }
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "kty", "RSA").check() }
    }

    @Test("T3: kid, use and alg beside the key do not change its thumbprint")
    func optionalMembers() throws {
        for member in ["kid", "use", "alg", "x5u"] {
            let proof = try draft(jwk: member, "https://attacker.example/key").check()
            #expect(proof.thumbprint == valid.signer.publicJWK.thumbprint)
        }
    }

    @Test("J9: kid, jku and x5u in the header are hostile input, and are not looked at")
    func hostileHeader() throws {
        for member in ["kid", "jku", "x5u"] {
            let draft = valid.with { $0.header[member] = "'; DROP TABLE keys; --" }
            #expect(try draft.check().key == valid.signer.publicJWK)
        }
    }
}
