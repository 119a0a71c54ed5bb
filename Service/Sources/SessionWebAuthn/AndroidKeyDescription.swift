internal import SwiftASN1
internal import X509

/// The extension in which Android describes an attested key (§8.4, "Key and ID attestation" of the Android documentation).
struct AndroidKeyDescription: DERParseable {
    /// `KM_ORIGIN_GENERATED`: the key was generated where it is kept.
    static let generated = 0
    /// `KM_PURPOSE_SIGN`.
    static let sign = 2

    /// What is enforced for the key. Only the properties that WebAuthn reads.
    struct AuthorizationList {
        private(set) var purposes: [Int] = []
        private(set) var origins: [Int] = []
        private(set) var isForAllApplications = false

        init(_ node: ASN1Node) throws {
            guard node.identifier == .sequence, case .constructed(let properties) = node.content else {
                throw AttestationFault.malformedExtension
            }
            for property in properties where property.identifier.tagClass == .contextSpecific {
                switch property.identifier.tagNumber {
                case 1: purposes += try DER.set(of: Int.self, identifier: .set, rootNode: Self.value(property))
                case 600: isForAllApplications = true
                case 702: origins.append(try Int(derEncoded: Self.value(property)))
                default: break
                }
            }
        }

        /// The one node in an explicit tag.
        private static func value(_ node: ASN1Node) throws -> ASN1Node {
            guard case .constructed(let nodes) = node.content, let value = nodes.first(where: { _ in true }) else {
                throw AttestationFault.malformedExtension
            }
            return value
        }
    }

    let challenge: [UInt8]
    let softwareEnforced: AuthorizationList
    let hardwareEnforced: AuthorizationList

    init(_ certificate: Certificate) throws(AttestationFault) {
        guard let value = certificate.extensions[oid: [1, 3, 6, 1, 4, 1, 11129, 2, 1, 17]]?.value,
            let description = try? Self(derEncoded: value)
        else { throw .malformedExtension }
        self = description
    }

    init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            // Version and security level, of the attestation and of the keystore.
            for _ in 0..<4 { guard nodes.next() != nil else { throw AttestationFault.malformedExtension } }
            let challenge = try ASN1OctetString(derEncoded: &nodes)
            _ = try ASN1OctetString(derEncoded: &nodes)
            guard let software = nodes.next(), let hardware = nodes.next() else {
                throw AttestationFault.malformedExtension
            }
            return Self(
                challenge: Array(challenge.bytes), softwareEnforced: try AuthorizationList(software),
                hardwareEnforced: try AuthorizationList(hardware))
        }
    }

    private init(challenge: [UInt8], softwareEnforced: AuthorizationList, hardwareEnforced: AuthorizationList) {
        self.challenge = challenge
        self.softwareEnforced = softwareEnforced
        self.hardwareEnforced = hardwareEnforced
    }
}
