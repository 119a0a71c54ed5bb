import Foundation
import Testing

@testable import SessionWebAuthn

@Suite("Test vectors of WebAuthn Level 3 §16")
struct W3CVectorTests {
    typealias Vector = W3CVectors.Vector

    private static let supported = W3CVectors.all.vectors.filter { $0.name != "packed.Ed448" }
    private static let kinds: [String: Attestation.Kind] = [
        "none": .none, "packed-self": .selfAttestation, "packed": .basic, "tpm": .attestationCA, "android-key": .basic,
        "apple": .anonymizationCA, "fido-u2f": .basic,
    ]

    @Test("All 15 pairs are there")
    func all() {
        #expect(W3CVectors.all.vectors.count == 15)
    }

    @Test("A registration is verified, and leads to the trust anchor if it has certificates", arguments: supported)
    func registration(_ vector: Vector) async throws {
        let anchors = try TrustAnchors(certificates: [hex(W3CVectors.all.authority)])
        let response = try vector.registrationResponse()
        let credential = try await vector.ceremony(trusting: anchors).verify(response, at: Vector.time)
        let parts = vector.name.split(separator: ".").map(String.init)
        #expect(credential.attestation.kind == Self.kinds[parts[0]])
        #expect(credential.attestation.format == (parts[0] == "packed-self" ? "packed" : parts[0]))
        #expect(credential.attestation.isTrusted == !credential.attestation.certificates.isEmpty)
        #expect("\(credential.algorithm)".lowercased() == parts[1].lowercased())
        #expect(credential.id == response.credentialID && credential.relyingPartyID == "example.org")
        #expect(credential.isUserPresent && credential.counter == 0 && credential.aaguid.count == 16)
        let flags = try vector.authenticatorData[32]
        #expect(credential.isUserVerified == (flags & 0x04 != 0))
        #expect(credential.isBackupEligible == (flags & 0x08 != 0) && credential.isBackedUp == (flags & 0x10 != 0))
        #expect(credential.attestation.isEnforcedByHardware == (parts[0] == "android-key" ? true : nil))
    }

    @Test("An assertion is verified by the stored key", arguments: supported)
    func assertion(_ vector: Vector) throws {
        let assertion = try vector.authenticationCeremony.verify(
            vector.assertionResponse(), for: vector.storedCredential())
        #expect(assertion.counter == 0)
        let flags = hex(vector.authentication.authenticatorData)[32]
        #expect(assertion.isUserVerified == (flags & 0x04 != 0) && assertion.isBackedUp == (flags & 0x10 != 0))
    }

    @Test("A credential with Ed448 is rejected, because the algorithm is not supported")
    func ed448() async throws {
        let vector = try W3CVectors.vector("packed.Ed448")
        await #expect(throws: WebAuthnError.algorithmNotAllowed(-53)) {
            try await vector.ceremony().verify(vector.registrationResponse(), at: Vector.time)
        }
    }

    @Test("Without an anchor, or when a certificate is not valid, a statement is verified and not trusted")
    func untrusted() async throws {
        let vector = try W3CVectors.vector("packed.ES256")
        let response = try vector.registrationResponse()
        let authority = try TrustAnchors(certificates: [hex(W3CVectors.all.authority)])
        let early = Date(timeIntervalSince1970: 1_704_067_199)
        for (anchors, time) in [(TrustAnchors(), Vector.time), (authority, early)] {
            let credential = try await vector.ceremony(trusting: anchors).verify(response, at: time)
            #expect(credential.attestation.kind == .basic && !credential.attestation.isTrusted)
        }
        #expect(try await vector.ceremony(trusting: authority).verify(response, at: early + 1).attestation.isTrusted)
    }

    @Test("An anchor may be the certificate of the authenticator itself")
    func ownAnchor() async throws {
        let vector = try W3CVectors.vector("packed.ES256")
        let response = try vector.registrationResponse()
        let certificates = try await vector.ceremony().verify(response, at: Vector.time).attestation.certificates
        let ceremony = vector.ceremony(trusting: try TrustAnchors(certificates: certificates))
        #expect(try await ceremony.verify(response, at: Vector.time).attestation.isTrusted)
        #expect(try await !ceremony.verify(response, at: .distantPast).attestation.isTrusted)
    }

    /// Which error each byte of an assertion gives when it changes.
    @Test("A changed byte of an assertion is an error", arguments: ["none.ES256", "packed.EdDSA", "packed.RS256"])
    func changedAssertion(_ name: String) throws {
        let vector = try W3CVectors.vector(name)
        let (ceremony, stored) = (vector.authenticationCeremony, try vector.storedCredential())
        let response = try vector.assertionResponse()
        for index in response.authenticatorData.indices {
            var changed = response
            changed.authenticatorData[index] ^= 0x20
            // 0x20 is a reserved flag. It is signed.
            #expect(throws: index < 32 ? .wrongRelyingParty : WebAuthnError.wrongSignature) {
                try ceremony.verify(changed, for: stored)
            }
        }
        for index in stride(from: 0, to: response.signature.count, by: 7) {
            var changed = response
            changed.signature[index] ^= 0x01
            #expect(throws: WebAuthnError.wrongSignature) { try ceremony.verify(changed, for: stored) }
        }
        for index in response.clientDataJSON.indices {
            var changed = response
            changed.clientDataJSON[index] ^= 0x01
            #expect(throws: WebAuthnError.self) { try ceremony.verify(changed, for: stored) }
        }
    }

    /// What only the issuer of the certificate signs changes nothing but the trust. The number of unused bits of its signature
    /// is not signed at all. FIDO U2F does not sign the AAGUID.
    @Test(
        "A changed byte of a registration is an error, or no other credential is attested and trusted",
        arguments: ["packed.ES256", "tpm.ES256", "android-key.ES256", "apple.ES256", "fido-u2f.ES256"])
    func changedRegistration(_ name: String) async throws {
        let vector = try W3CVectors.vector(name)
        let anchors = try TrustAnchors(certificates: [hex(W3CVectors.all.authority)])
        let response = try vector.registrationResponse()
        let original = try await vector.ceremony(trusting: anchors).verify(response, at: Vector.time)
        for index in stride(from: 0, to: response.attestationObject.count, by: 5) {
            var changed = response
            changed.attestationObject[index] ^= 0x01
            do throws(WebAuthnError) {
                let credential = try await vector.ceremony(trusting: anchors).verify(changed, at: Vector.time)
                let isSame =
                    credential.id == original.id && credential.publicKey == original.publicKey
                    && (credential.aaguid == original.aaguid || name == "fido-u2f.ES256")
                if credential.attestation.isTrusted && !isSame { Issue.record("byte \(index) of \(name)") }
            } catch {}
        }
    }

    @Test("A changed byte of a self attestation is an error")
    func changedSelfAttestation() async throws {
        let vector = try W3CVectors.vector("packed-self.ES256")
        for index in hex(vector.registration.attestationObject).indices {
            var changed = try vector.registrationResponse()
            changed.attestationObject[index] ^= 0x01
            // The name of an unknown format leaves nothing to verify.
            let credential = try? await vector.ceremony().verify(changed, at: Vector.time)
            #expect(credential == nil || credential?.attestation.kind == .unknown, "byte \(index)")
        }
    }

    @Test("An attestation object that ends early or goes on is rejected")
    func length() async throws {
        let vector = try W3CVectors.vector("packed-self.ES256")
        let response = try vector.registrationResponse()
        for count in response.attestationObject.indices {
            var changed = response
            changed.attestationObject = Array(response.attestationObject.prefix(count))
            await #expect(throws: WebAuthnError.malformedCBOR(.truncated)) {
                try await vector.ceremony().verify(changed, at: Vector.time)
            }
        }
        var longer = response
        longer.attestationObject.append(0)
        await #expect(throws: WebAuthnError.malformedCBOR(.trailingBytes)) {
            try await vector.ceremony().verify(longer, at: Vector.time)
        }
    }
}
