import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate of an authenticator, part by part, so that a test can change each of them.
struct TestCertificate {
    static let authority = TestP256(9)
    static let issuer = name(unit: "Authenticator Attestation CA")
    static let oids = (
        aaguid: [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4] as ASN1ObjectIdentifier,
        android: [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17] as ASN1ObjectIdentifier,
        apple: [1, 2, 840, 113_635, 100, 8, 2] as ASN1ObjectIdentifier
    )

    var version = Certificate.Version.v3
    var subject = name(unit: "Authenticator Attestation")
    var publicKey: Certificate.PublicKey
    var isAuthority: Bool? = false
    var maxPathLength: Int?
    var extensions: [Certificate.Extension] = []
    var usages: [ExtendedKeyUsage.Usage] = []
    var alternativeName: DistinguishedName?
    var issuerKey = authority
    var issuerName = issuer
    var notAfter = Date(timeIntervalSince1970: 1_900_000_000)

    init(_ publicKey: Certificate.PublicKey) { self.publicKey = publicKey }

    init(_ key: TestP256) { publicKey = .init(key.key.publicKey) }

    static func name(
        country: String? = "AA", organization: String? = "Prelude", unit: String?, common: String? = "Test"
    ) -> DistinguishedName {
        typealias OID = ASN1ObjectIdentifier.RDNAttributeType
        let parts: [(ASN1ObjectIdentifier, String?)] = [
            (OID.countryName, country), (OID.organizationName, organization), (OID.organizationalUnitName, unit),
            (OID.commonName, common),
        ]
        return DistinguishedName(
            parts.compactMap { type, text in
                text.map { RelativeDistinguishedName(.init(type: type, utf8String: $0)) }
            })
    }

    static func name(_ types: [ASN1ObjectIdentifier]) -> DistinguishedName {
        DistinguishedName([RelativeDistinguishedName(types.map { .init(type: $0, utf8String: "id:00000000") })])
    }

    static func root() throws -> [UInt8] {
        var certificate = TestCertificate(authority)
        (certificate.subject, certificate.isAuthority) = (issuer, true)
        return try certificate.encoded()
    }

    /// The extension with an AAGUID.
    static func aaguid(_ value: [UInt8], critical: Bool = false) -> Certificate.Extension {
        .init(oid: oids.aaguid, critical: critical, value: [0x04, UInt8(value.count)] + value)
    }

    func encoded() throws -> [UInt8] {
        var all = extensions
        if let isAuthority {
            let constraints: BasicConstraints =
                isAuthority ? .isCertificateAuthority(maxPathLength: maxPathLength) : .notCertificateAuthority
            all.append(try .init(constraints, critical: true))
        }
        if !usages.isEmpty { all.append(try .init(ExtendedKeyUsage(usages), critical: false)) }
        if let alternativeName {
            all.append(try .init(SubjectAlternativeNames([.directoryName(alternativeName)]), critical: true))
        }
        let certificate = try Certificate(
            version: version, serialNumber: .init(bytes: [1, 2, 3]), publicKey: publicKey,
            notValidBefore: Date(timeIntervalSince1970: 1_700_000_000), notValidAfter: notAfter, issuer: issuerName,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: try .init(all),
            issuerPrivateKey: .init(issuerKey.key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
