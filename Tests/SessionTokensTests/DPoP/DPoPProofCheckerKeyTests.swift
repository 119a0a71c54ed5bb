import Crypto
import Foundation
import SessionTokens
import Testing

/// The signature and the key in the header (RFC 9449 §4.3 steps 6 and 7).
@Suite("DPoP proof: key and signature")
struct DPoPProofCheckerKeyTests {
    private let valid = RefreshProofDraft()

    /// A draft with one member of the header's key set or removed.
    private func draft(jwk member: String, _ value: JSONValue?) -> RefreshProofDraft {
        valid.with {
            guard case .object(var members)? = $0.header["jwk"] else { return }
            members[member] = value
            $0.header["jwk"] = .object(members)
        }
    }

    @Test("A proof signed by another key than its jwk is rejected (RFC 9449 §4.3 step 6, D7, J3)")
    func signedByAnotherKey() {
        let draft = valid.with { $0.signer = RFCKey.rfc7517A2 }
        #expect(throws: DPoPError.invalidSignature) { try draft.check() }
    }

    @Test("A proof with exchanged claims is rejected (RFC 9449 §4.3 step 6, D7)")
    func exchangedClaims() throws {
        let parts = try valid.compact().split(separator: ".")
        let claims = valid.with { $0.claims["jti"] = "another" }.claims
        let proof = try "\(parts[0]).\(Base64URL.encode(TokenJSON.encode(claims))).\(parts[2])"
        #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
    }

    @Test(
        "A signature with one flipped bit is rejected (RFC 9449 §4.3 step 6, D7)",
        arguments: [0, 7, 255, 256, 300, 511])
    func flippedBit(_ bit: Int) throws {
        let parts = try valid.compact().split(separator: ".")
        var signature = try #require(Base64URL.decode(parts[2]))
        signature[bit / 8] ^= 1 << UInt8(bit % 8)
        let proof = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
        #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
    }

    @Test("Signatures that are empty, all zeros or have another length are rejected (RFC 9449 §4.3 step 6, D7)")
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

    @Test("An ASN.1 signature is rejected (RFC 9449 §4.3 step 6, RFC 7518 §3.4, D7)")
    func derSignature() throws {
        let parts = try valid.compact().split(separator: ".")
        guard case .p256(let key) = valid.signer.material else { throw JWKError.unsupportedKey }
        let der = try key.signature(for: Data("\(parts[0]).\(parts[1])".utf8)).derRepresentation
        let proof = "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))"
        #expect(throws: DPoPError.invalidSignature) { try RefreshProofDraft.check(proof) }
    }

    @Test("An alg inside the key is ignored (RFC 9449 §4.3 step 6, D7)")
    func algorithmInsideKey() throws {
        #expect(try draft(jwk: "alg", "none").check().key == valid.signer.publicJWK)
    }

    @Test(
        "A private or symmetric member in the key is rejected with any value (RFC 9449 §4.3 step 7, D8)",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"], [JSONValue.string("AQ"), .string(""), .null]
    )
    func privateMember(_ member: String, _ value: JSONValue) {
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: member, value).check() }
    }

    @Test("A point that is not on the curve is rejected (RFC 8725 §3.4, J4, T4)")
    func offTheCurve() throws {
        let x = try #require(valid.signer.publicJWK.requiredMembers["x"])
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "y", .string(x)).check() }
    }

    @Test("A coordinate that is missing, short, long or not canonical base64url is rejected (RFC 7638 §7, T4)")
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

    @Test("A coordinate with unused trailing bits set is rejected (RFC 7638 §7, T4)")
    func strayTrailingBits() throws {
        let x = try #require(valid.signer.publicJWK.requiredMembers["x"])
        #expect(x.hasSuffix("U"))
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "x", .string(x.dropLast() + "V")).check() }
    }

    @Test("A key of another type with alg ES256 is rejected (RFC 8725 §3.1, J1)")
    func anotherKind() {
        let members = RFCKey.rfc8037A1.publicJWK.requiredMembers.mapValues(JSONValue.string)
        let ed25519 = valid.with { $0.header["jwk"] = .object(members) }
        #expect(throws: DPoPError.invalidKey) { try ed25519.check() }
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "crv", "P-384").check() }
        #expect(throws: DPoPError.invalidKey) { try draft(jwk: "kty", "RSA").check() }
    }

    @Test("The members kid, use and alg do not change the thumbprint of the key (RFC 7638 §3, T3)")
    func optionalMembers() throws {
        for member in ["kid", "use", "alg", "x5u"] {
            let proof = try draft(jwk: member, "https://attacker.example/key").check()
            #expect(proof.thumbprint == valid.signer.publicJWK.thumbprint)
        }
    }

    @Test("The headers kid, jku and x5u of a proof are ignored (RFC 8725 §3.10, J9)")
    func hostileHeader() throws {
        for member in ["kid", "jku", "x5u"] {
            let draft = valid.with { $0.header[member] = "'; DROP TABLE keys; --" }
            #expect(try draft.check().key == valid.signer.publicJWK)
        }
    }
}
