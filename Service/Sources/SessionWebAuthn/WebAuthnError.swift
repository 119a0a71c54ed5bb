/// Why a response of an authenticator is rejected. No case contains a challenge, a key or a signature.
package enum WebAuthnError: Error, Hashable {
    /// A part is longer than any authenticator makes it. It was not read.
    case tooLong(Part)
    case malformedCBOR(CBORFault)

    /// The client data is no strict JSON object, or one of its members is missing or has another type (§5.8.1).
    case malformedClientData
    /// The client data is that of the other ceremony.
    case wrongType
    case wrongChallenge
    /// The client chose the value, so escape it before you show it.
    case wrongOrigin(String)
    /// The page was in a frame of another origin.
    case crossOrigin
    /// The page was in a frame of this origin. The client chose the value, so escape it before you show it.
    case wrongTopOrigin(String)

    /// The authenticator data is shorter or longer than its parts (§6.1).
    case malformedAuthenticatorData
    /// The credential is backed up and not eligible for a backup (§6.1.3).
    case backedUpWithoutEligibility
    /// The RP id is none of the relying party's.
    case wrongRelyingParty
    case userNotPresent
    case userNotVerified

    /// A member of the attestation object is missing or has another type (§6.5.4).
    case malformedAttestationObject
    /// The credential id of the response is not that of the authenticator data, or not that of the stored credential.
    case wrongCredentialID
    /// The response names another user than the stored credential.
    case wrongUserHandle
    /// The members of the credential key do not fit its type, or the point is not on its curve (RFC 9053 §7).
    case malformedKey
    /// The algorithm of the credential key is unknown or not one of the allowed algorithms.
    case algorithmNotAllowed(Int64)
    case attestation(AttestationFault)
    /// A trust anchor is no X.509 certificate.
    case malformedTrustAnchor

    /// The credential became eligible for a backup, or ceased to be (§6.1.3).
    case backupEligibilityChanged
    case wrongSignature

    package enum Part: Hashable, Sendable {
        case clientData, attestationObject, authenticatorData, credentialID, signature
    }

    package enum CBORFault: Hashable, Sendable {
        case truncated, trailingBytes, indefiniteLength, notShortest, unsortedKeys, repeatedKey, tooDeep, notUTF8
        /// A tag, a floating-point number, an integer of more than 63 bits, or a key that is no integer and no text.
        case unsupportedItem
    }
}

/// Why an attestation statement is rejected (§8).
package enum AttestationFault: Error, Hashable {
    /// A member of the statement is missing or has another type.
    case malformedStatement
    /// The algorithm of the statement is unknown, or does not fit the key of the certificate.
    case unsupportedAlgorithm
    /// The algorithm of a self attestation is not that of the credential key.
    case wrongAlgorithm
    case wrongSignature
    /// The first certificate or one of its issuers is no X.509 certificate in DER, or has a key of an unknown type.
    case malformedCertificate
    /// There are more certificates than `AttestationChain.maximumCount`.
    case tooManyCertificates
    case unsuitableCertificate(CertificateRequirement)
    /// The AAGUID in the certificate is not that of the authenticator data, or it is critical or malformed.
    case wrongAAGUID
    /// The certificate or the TPM attests another key than the credential key.
    case wrongKey
    /// The certificate or the TPM attests other authenticator data or other client data.
    case wrongNonce
    /// The extension with the nonce or with the description of the key is missing or malformed.
    case malformedExtension
    /// A key of Android that other apps can use, that was imported, or that is not for signatures (§8.4).
    case wrongKeyUse
    /// `certInfo` or `pubArea` is no structure of TPM 2.0 (§8.3).
    case malformedTPMStructure

    /// The requirements of §8.2.1, §8.3.1 and §8.6 for the first certificate.
    package enum CertificateRequirement: Hashable, Sendable {
        case version, subject, isNoAuthority, subjectAlternativeName, extendedKeyUsage, keyType
    }
}
