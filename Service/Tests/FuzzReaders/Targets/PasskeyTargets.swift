import Foundation

@testable import SessionWebAuthn

extension FuzzTarget {
    /// What authenticators send. The seeds are the test vectors of WebAuthn Level 3.
    static func passkeys() throws -> [FuzzTarget] {
        let vectors = try Vectors.passkeys()
        let objects = vectors.map(\.attestationObject)
        let data = objects.compactMap { object in
            (try? CBOR.read(object, keys: .any))?.mapValue?["authData"]?.bytesValue
        }
        let keys = data.compactMap { data in (try? AuthenticatorData(data))?.credential?.publicKey }
        // Heads of items, and the object identifiers of the extensions that formats read.
        let words = [
            "\u{1}\u{2}", "\u{3}&", "\u{18}\u{17}", "\u{1B}", "cfmt", "dnone", "fpacked", "ctpm", "kandroid-key",
            "eapple",
            "hfido-u2f", "gattStmt", "calg", "csig", "cx5c", "cver", "c2.0", "gpubArea", "hcertInfo", "hauthData",
            "\u{FF}TCG",
        ]
        return [
            FuzzTarget("CBOR", binary: objects + keys, words: words) { bytes in
                guard let item = try? CBOR.read(bytes, keys: .canonical) else { return false }
                try require(item.encoded == bytes, "an item has a second encoding")
                return true
            },
            FuzzTarget("credential keys", binary: keys, words: words) { bytes in
                guard let key = try? COSEKey(bytes) else { return false }
                try require(COSEAlgorithm.forCredentials.contains(key.algorithm), "accepted an unknown algorithm")
                try require(!key.isValidSignature([], for: []), "accepted an empty signature")
                return true
            },
            FuzzTarget("authenticator data", binary: data, words: words) { bytes in
                guard let read = try? AuthenticatorData(bytes) else { return false }
                try require(
                    read.flags.contains(.hasCredential) == (read.credential != nil), "a credential without its flag")
                try require(
                    read.flags.contains(.backupEligible) || !read.flags.contains(.backedUp), "an impossible backup")
                try require((read.credential?.id.count ?? 0) <= 1023, "a credential id is too long")
                return true
            },
            FuzzTarget("client data", binary: vectors.map(\.clientDataJSON), words: [#""crossOrigin":true,"#]) {
                bytes in
                guard let read = try? ClientData(bytes) else { return false }
                let isExpected = vectors.contains { vector in
                    (try? read.check(.create, challenge: vector.challenge, vectorsParty)) != nil
                }
                return isExpected
            },
            FuzzTarget("attestation objects", binary: objects, words: words) { bytes in
                let item = try? CBOR.read(bytes, keys: .any)
                let data = item?.mapValue?["authData"]?.bytesValue.flatMap { try? AuthenticatorData($0) }
                guard let id = data?.credential?.id else { return false }
                // The vector that was mutated, unless its id was.
                let vector = vectors.first { $0.credentialID == id } ?? vectors[0]
                let response = RegistrationResponse(
                    credentialID: id, clientDataJSON: vector.clientDataJSON, attestationObject: bytes)
                guard let credential = try? vector.ceremony.verifyStatement(response).credential else { return false }
                _ = try COSEKey(credential.publicKey)
                try require(!credential.id.isEmpty && credential.aaguid.count == 16, "a part is missing")
                if credential.attestation.kind == .selfAttestation {
                    try require(credential.publicKey == vector.publicKey, "another key has a valid self attestation")
                }
                return true
            },
        ]
    }

    fileprivate static let vectorsParty = RelyingParty(
        ids: ["example.org"], origins: ["https://example.org"], topOrigins: ["https://example.com"])
}

/// A registration of `Service/Tests/Vectors/webauthn.json`.
struct PasskeyVector {
    let challenge: [UInt8]
    let clientDataJSON: [UInt8]
    let attestationObject: [UInt8]
    var credentialID: [UInt8] = []
    var publicKey: [UInt8] = []

    init(challenge: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8]) {
        self.challenge = challenge
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        let data = (try? CBOR.read(attestationObject, keys: .any))?.mapValue?["authData"]?.bytesValue
        if let credential = data.flatMap({ try? AuthenticatorData($0) })?.credential {
            (credentialID, publicKey) = (credential.id, credential.publicKey)
        }
    }

    var ceremony: RegistrationCeremony {
        RegistrationCeremony(
            relyingParty: FuzzTarget.vectorsParty, challenge: challenge, requiresUserVerification: false)
    }
}
