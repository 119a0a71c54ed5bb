internal import Crypto
internal import Foundation
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// The certificates of a statement (`x5c`).
struct AttestationChain {
    /// More would let a caller choose the time that the search for a path takes. The chains of Android are the longest.
    static let maximumCount = 6

    let leaf: Certificate
    let issuers: [Certificate]
    private let encoded: [[UInt8]]

    init(_ item: CBOR?) throws(AttestationFault) {
        guard let encoded = item?.bytesArray, !encoded.isEmpty else { throw .malformedStatement }
        guard encoded.count <= Self.maximumCount else { throw .tooManyCertificates }
        let certificates = encoded.compactMap { try? Certificate(derEncoded: $0) }
        guard certificates.count == encoded.count else { throw .malformedCertificate }
        (leaf, issuers, self.encoded) = (certificates[0], Array(certificates.dropFirst()), encoded)
    }

    func attestation(_ format: String, _ kind: Attestation.Kind, _ algorithm: COSEAlgorithm?) -> Attestation {
        Attestation(format: format, kind: kind, algorithm: algorithm, certificates: encoded)
    }

    func verify(_ signature: [UInt8], for message: [UInt8], algorithm: COSEAlgorithm) throws(AttestationFault) {
        guard let isValid = leaf.publicKey.isValidSignature(signature, for: message, algorithm: algorithm) else {
            throw .unsupportedAlgorithm
        }
        guard isValid else { throw .wrongSignature }
    }

    // MARK: - Requirements for the first certificate

    /// Version 3, and no authority (§8.2.1, §8.3.1).
    func requireEndEntity() throws(AttestationFault) {
        guard leaf.version == .v3 else { throw .unsuitableCertificate(.version) }
        guard case .notCertificateAuthority? = try? leaf.extensions.basicConstraints else {
            throw .unsuitableCertificate(.isNoAuthority)
        }
    }

    /// The subject of an authenticator: country, organization, the unit "Authenticator Attestation", a name (§8.2.1).
    func requireSubjectOfAuthenticator() throws(AttestationFault) {
        typealias Name = ASN1ObjectIdentifier.RDNAttributeType
        guard let country = value(of: Name.countryName), country.utf8.count == 2,
            value(of: Name.organizationName) ?? "" != "", value(of: Name.commonName) ?? "" != "",
            value(of: Name.organizationalUnitName) == "Authenticator Attestation"
        else { throw .unsuitableCertificate(.subject) }
    }

    /// The certificate of a TPM's attestation key: no subject, the TPM's manufacturer, model and version as a name, and its
    /// extended key usage (§8.3.1).
    func requireIdentityOfTPM() throws(AttestationFault) {
        guard leaf.subject.isEmpty else { throw .unsuitableCertificate(.subject) }
        let names = (try? leaf.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames([])
        let attributes = names.flatMap { name -> [ASN1ObjectIdentifier] in
            if case .directoryName(let name) = name { name.joined().map(\.type) } else { [] }
        }
        let tpm: [ASN1ObjectIdentifier] = [[2, 23, 133, 2, 1], [2, 23, 133, 2, 2], [2, 23, 133, 2, 3]]
        guard tpm.allSatisfy(attributes.contains) else { throw .unsuitableCertificate(.subjectAlternativeName) }
        let usages = (try? leaf.extensions.extendedKeyUsage) ?? ExtendedKeyUsage()
        guard usages.contains(.init(oid: [2, 23, 133, 8, 3])) else { throw .unsuitableCertificate(.extendedKeyUsage) }
    }

    /// The AAGUID in the certificate, if there is one, is that of the authenticator data (§8.2.1).
    func requireAAGUID(_ aaguid: [UInt8]) throws(AttestationFault) {
        guard let found = leaf.extensions[oid: [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]] else { return }
        guard !found.critical, let value = try? ASN1OctetString(derEncoded: found.value), value.bytes == aaguid[...]
        else { throw .wrongAAGUID }
    }

    private func value(of type: ASN1ObjectIdentifier) -> String? {
        leaf.subject.joined().first { $0.type == type }.flatMap { String($0.value) }
    }
}

/// The certificates that a caller trusts for attestations, such as those of the FIDO Metadata Service.
package struct TrustAnchors: Sendable {
    private let certificates: Set<Certificate>
    private let store: CertificateStore

    /// No anchors: no attestation is trusted.
    package init() { (certificates, store) = ([], CertificateStore()) }

    /// - Parameter certificates: Certificates in DER. An anchor may be that of a CA, or of an authenticator.
    package init(certificates encoded: [[UInt8]]) throws(WebAuthnError) {
        let certificates = encoded.compactMap { try? Certificate(derEncoded: $0) }
        guard certificates.count == encoded.count else { throw .malformedTrustAnchor }
        (self.certificates, store) = (Set(certificates), CertificateStore(certificates))
    }

    /// Whether a chain leads to an anchor, and all its certificates are valid at a time (RFC 5280 §6).
    func trust(_ chain: AttestationChain, at time: Date) async -> Bool {
        if certificates.contains(chain.leaf) {
            return (chain.leaf.notValidBefore...max(chain.leaf.notValidBefore, chain.leaf.notValidAfter)).contains(time)
        }
        guard !certificates.isEmpty else { return false }
        var verifier = Verifier(rootCertificates: store) {
            RFC5280Policy(fixedExpiryValidationTime: time)
            VerifiedByFormat()
        }
        switch await verifier.validate(leaf: chain.leaf, intermediates: CertificateStore(chain.issuers)) {
        case .validCertificate: return true
        case .couldNotValidate: return false
        }
    }

    /// Extensions that may be critical, because a format has verified them.
    private struct VerifiedByFormat: VerifierPolicy {
        let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
            .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage,
        ]

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
    }
}
