internal import Crypto
internal import SwiftASN1
internal import X509

/// What an authenticator proved about itself with a registration (§6.5).
package struct Attestation: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case none
        /// The credential key signed. That proves nothing about the authenticator.
        case selfAttestation = "self"
        /// A certificate for a model, or one of an attestation CA. The certificates do not tell these apart.
        case basic
        /// A certificate that a CA issued for the key of one TPM.
        case attestationCA = "attca"
        /// A certificate for this credential only.
        case anonymizationCA = "anonca"
        /// The format is unknown, and nothing of the statement was verified.
        case unknown
    }

    /// The identifier of the format (§8.1).
    package let format: String
    package let kind: Kind
    /// The algorithm of the statement's signature. `nil` for formats that have none.
    package var algorithm: COSEAlgorithm?
    /// The certificates in DER: first the one that attests, then its issuers. Empty without certificates.
    package var certificates: [[UInt8]] = []
    /// Whether the certificates lead to a trust anchor of the caller.
    package var isTrusted = false
    /// Android only: whether secure hardware ensures that the key was generated there, and is for signatures only (§8.4).
    package var isEnforcedByHardware: Bool?
}

/// A statement, and what it must attest.
struct AttestationStatement {
    let members: CBORMap
    let data: AuthenticatorData
    let credential: AuthenticatorData.Credential
    let key: COSEKey
    let clientDataHash: [UInt8]

    /// What most formats sign.
    private var signed: [UInt8] { data.bytes + clientDataHash }

    /// Verifies the statement by its format, except for the trust in its certificates.
    func verify(_ format: String) throws(AttestationFault) -> (attestation: Attestation, chain: AttestationChain?) {
        switch format {
        case "none":
            guard members.members.isEmpty else { throw .malformedStatement }
            return (Attestation(format: format, kind: .none), nil)
        case "packed": return try packed()
        case "tpm": return try tpm()
        case "android-key": return try androidKey()
        case "apple": return try apple()
        case "fido-u2f": return try fidoU2F()
        default: return (Attestation(format: format, kind: .unknown), nil)
        }
    }

    // MARK: - The formats

    /// §8.2.
    private func packed() throws(AttestationFault) -> (Attestation, AttestationChain?) {
        let (algorithm, signature) = try algorithmAndSignature()
        // ECDAA was removed from the standard. Its statements have no certificate, so they are no self attestation.
        guard members["ecdaaKeyId"] == nil else { throw .malformedStatement }
        guard members["x5c"] != nil else {
            guard algorithm == key.algorithm else { throw .wrongAlgorithm }
            guard key.isValidSignature(signature, for: signed) else { throw .wrongSignature }
            return (Attestation(format: "packed", kind: .selfAttestation, algorithm: algorithm), nil)
        }
        let chain = try AttestationChain(members["x5c"])
        try chain.verify(signature, for: signed, algorithm: algorithm)
        try chain.requireEndEntity()
        try chain.requireSubjectOfAuthenticator()
        try chain.requireAAGUID(credential.aaguid)
        return (chain.attestation("packed", .basic, algorithm), chain)
    }

    /// §8.3.
    private func tpm() throws(AttestationFault) -> (Attestation, AttestationChain?) {
        let (algorithm, signature) = try algorithmAndSignature()
        guard members["ver"]?.textValue == "2.0", let certInfo = members["certInfo"]?.bytesValue,
            let pubArea = members["pubArea"]?.bytesValue
        else { throw .malformedStatement }
        let area = try TPMPublicArea(pubArea)
        guard try area.key() == key.key else { throw .wrongKey }
        let info = try TPMCertifyInfo(certInfo)
        let digest = algorithm.digest(signed)
        guard !digest.isEmpty else { throw .unsupportedAlgorithm }
        guard info.extraData == digest else { throw .wrongNonce }
        guard info.name == area.name else { throw .wrongKey }
        let chain = try AttestationChain(members["x5c"])
        try chain.verify(signature, for: certInfo, algorithm: algorithm)
        try chain.requireEndEntity()
        try chain.requireIdentityOfTPM()
        try chain.requireAAGUID(credential.aaguid)
        return (chain.attestation("tpm", .attestationCA, algorithm), chain)
    }

    /// §8.4.
    private func androidKey() throws(AttestationFault) -> (Attestation, AttestationChain?) {
        let (algorithm, signature) = try algorithmAndSignature()
        let chain = try AttestationChain(members["x5c"])
        try chain.verify(signature, for: signed, algorithm: algorithm)
        guard chain.leaf.publicKey == key.key else { throw .wrongKey }
        let description = try AndroidKeyDescription(chain.leaf)
        guard description.challenge == clientDataHash else { throw .wrongNonce }
        let (software, hardware) = (description.softwareEnforced, description.hardwareEnforced)
        guard !software.isForAllApplications, !hardware.isForAllApplications else { throw .wrongKeyUse }
        // Each property may be in either list.
        let origins = software.origins + hardware.origins
        guard !origins.isEmpty, origins.allSatisfy({ $0 == AndroidKeyDescription.generated }),
            (software.purposes + hardware.purposes).contains(AndroidKeyDescription.sign)
        else { throw .wrongKeyUse }
        var attestation = chain.attestation("android-key", .basic, algorithm)
        attestation.isEnforcedByHardware =
            !hardware.origins.isEmpty && hardware.purposes.contains(AndroidKeyDescription.sign)
        return (attestation, chain)
    }

    /// §8.8.
    private func apple() throws(AttestationFault) -> (Attestation, AttestationChain?) {
        let chain = try AttestationChain(members["x5c"])
        guard let value = chain.leaf.extensions[oid: [1, 2, 840, 113_635, 100, 8, 2]]?.value else {
            throw .malformedExtension
        }
        guard let nonce = try? AppleNonce(derEncoded: value).nonce else { throw .malformedExtension }
        guard nonce.bytes.elementsEqual(SHA256.hash(data: signed)) else { throw .wrongNonce }
        guard chain.leaf.publicKey == key.key else { throw .wrongKey }
        return (chain.attestation("apple", .anonymizationCA, nil), chain)
    }

    /// §8.6.
    private func fidoU2F() throws(AttestationFault) -> (Attestation, AttestationChain?) {
        guard let signature = members["sig"]?.bytesValue else { throw .malformedStatement }
        let chain = try AttestationChain(members["x5c"])
        guard chain.issuers.isEmpty else { throw .tooManyCertificates }
        guard P256.Signing.PublicKey(chain.leaf.publicKey) != nil else { throw .unsuitableCertificate(.keyType) }
        guard let point = P256.Signing.PublicKey(key.key)?.x963Representation else { throw .wrongKey }
        let signed = [0x00] + data.relyingPartyIDHash + clientDataHash + credential.id + point
        try chain.verify(signature, for: signed, algorithm: .es256)
        return (chain.attestation("fido-u2f", .basic, .es256), chain)
    }

    private func algorithmAndSignature() throws(AttestationFault) -> (COSEAlgorithm, [UInt8]) {
        guard let number = members["alg"]?.integerValue, let signature = members["sig"]?.bytesValue else {
            throw .malformedStatement
        }
        guard let algorithm = COSEAlgorithm(rawValue: number) else { throw .unsupportedAlgorithm }
        return (algorithm, signature)
    }
}

/// The extension of Apple's certificates: `SEQUENCE { [1] OCTET STRING }`.
private struct AppleNonce: DERParseable {
    let nonce: ASN1OctetString

    init(derEncoded node: ASN1Node) throws {
        nonce = try DER.sequence(node, identifier: .sequence) { nodes in
            try DER.explicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                try ASN1OctetString(derEncoded: node)
            }
        }
    }
}
