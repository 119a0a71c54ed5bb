import Crypto
import CryptoExtras
import SwiftASN1
import Testing
import X509

@testable import SessionWebAuthn

/// Each test begins with a valid statement and changes one thing.
@Suite("Attestation of a TPM (§8.3)")
struct TPMAttestationTests {
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private static func buffer(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    /// The identity that §8.3.1 requires.
    private static func identity(_ key: Certificate.PublicKey) -> TestCertificate {
        var certificate = TestCertificate(key)
        certificate.subject = DistinguishedName()
        certificate.usages = [.init(oid: [2, 23, 133, 8, 3])]
        certificate.alternativeName = TestCertificate.name([
            [2, 23, 133, 2, 1], [2, 23, 133, 2, 2], [2, 23, 133, 2, 3],
        ])
        return certificate
    }

    private static func certInfo(extraData: [UInt8], pubArea: [UInt8]) -> [UInt8] {
        hex("ff544347" + "8017" + "0000") + buffer(extraData) + [UInt8](repeating: 0x11, count: 25)
            + buffer([0x00, 0x0B] + SHA256.hash(data: pubArea)) + [0x00, 0x00]
    }

    private static func tpm(_ parts: StatementParts) -> TestPasskey {
        parts.passkey("tpm") { context, parts in
            let key = TestP256()
            var certificate = identity(.init(StatementParts.attester.key.publicKey))
            certificate.extensions = [TestCertificate.aaguid(context.passkey.aaguid)]
            try parts.certificate(&certificate)
            let pubArea = parts.pubArea(
                hex("0023" + "000b" + "00040000" + "0000" + "0010" + "0010" + "0003" + "0010")
                    + buffer(key.x) + buffer(key.y))
            let nonce = parts.nonce(Array(SHA256.hash(data: context.signed)))
            let info = parts.certInfo(certInfo(extraData: nonce, pubArea: pubArea))
            return parts.statement([
                "ver": .text("2.0"), "alg": parts.algorithm, "sig": .bytes(try parts.sign(info)),
                "x5c": try parts.chain([certificate.encoded()]), "certInfo": .bytes(info), "pubArea": .bytes(pubArea),
            ])
        }
    }

    private static func pubArea(
        _ name: String, _ fault: AttestationFault, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    )
        -> StatementParts.Change
    {
        StatementParts.Change(name, fault) { parts in
            parts.pubArea = { bytes in
                var bytes = bytes
                change(&bytes)
                return bytes
            }
        }
    }

    private static func certInfo(
        _ name: String, _ fault: AttestationFault, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    )
        -> StatementParts.Change
    {
        StatementParts.Change(name, fault) { parts in
            parts.certInfo = { bytes in
                var bytes = bytes
                change(&bytes)
                return bytes
            }
        }
    }

    @Test("A statement of a TPM with one change is rejected")
    func changes() async throws {
        typealias Change = StatementParts.Change
        let chain =
            StatementParts.signatureChanges + StatementParts.chainChanges
            + StatementParts.algorithmChanges.filter {
                // The digest of the extra data follows from the algorithm.
                $0.name != "an algorithm that does not fit the key"
            }
        try await StatementParts.check(
            chain + [
                Change("another digest", .wrongNonce) { $0.algorithm = .integer(-35) },
                Change("an algorithm without a digest", .unsupportedAlgorithm) { $0.algorithm = .integer(-8) },
                Change("an algorithm that does not fit the key", .unsupportedAlgorithm) {
                    $0.algorithm = .integer(-257)
                },
                Change("no version", .malformedStatement) { $0.members = { $0["ver"] = nil } },
                Change("version 1.2", .malformedStatement) { $0.members = { $0["ver"] = .text("1.2") } },
                Change("no certInfo", .malformedStatement) { $0.members = { $0["certInfo"] = nil } },
                Change("no pubArea", .malformedStatement) { $0.members = { $0["pubArea"] = nil } },
                Change("no x5c", .malformedStatement) { $0.members = { $0["x5c"] = nil } },
                Change("another nonce", .wrongNonce) { $0.nonce = { [$0[0] ^ 1] + $0.dropFirst() } },
                Change("a short nonce", .wrongNonce) { $0.nonce = { Array($0.dropLast()) } },
                Change("version 1 of the certificate", .unsuitableCertificate(.version)) {
                    $0.certificate = {
                        ($0.version, $0.extensions, $0.isAuthority) = (.v1, [], nil)
                        ($0.usages, $0.alternativeName) = ([], nil)
                    }
                },
                Change("a CA", .unsuitableCertificate(.isNoAuthority)) { $0.certificate = { $0.isAuthority = true } },
                Change("a subject", .unsuitableCertificate(.subject)) {
                    $0.certificate = { $0.subject = TestCertificate.name(unit: "TPM") }
                },
                Change("no alternative name", .unsuitableCertificate(.subjectAlternativeName)) {
                    $0.certificate = { $0.alternativeName = nil }
                },
                Change("no version of the TPM", .unsuitableCertificate(.subjectAlternativeName)) {
                    $0.certificate = {
                        $0.alternativeName = TestCertificate.name([[2, 23, 133, 2, 1], [2, 23, 133, 2, 2]])
                    }
                },
                Change("no key usage", .unsuitableCertificate(.extendedKeyUsage)) {
                    $0.certificate = { $0.usages = [] }
                },
                Change("another key usage", .unsuitableCertificate(.extendedKeyUsage)) {
                    $0.certificate = { $0.usages = [.serverAuth] }
                },
                Change("another AAGUID", .wrongAAGUID) {
                    $0.certificate = { $0.extensions = [TestCertificate.aaguid(.init(repeating: 1, count: 16))] }
                },
                Self.certInfo("another magic", .malformedTPMStructure) { $0[0] = 0xFE },
                Self.certInfo("another type", .malformedTPMStructure) { $0[5] = 0x18 },
                Self.certInfo("no bytes", .malformedTPMStructure) { $0 = [] },
                Self.certInfo("a byte more", .malformedTPMStructure) { $0.append(0) },
                Self.certInfo("a byte less", .malformedTPMStructure) { $0.removeLast() },
                Self.certInfo("the name of another key", .wrongKey) { $0[$0.count - 3] ^= 1 },
                Self.certInfo("another algorithm of the name", .wrongKey) { $0[$0.count - 35] = 0x0C },
                Self.pubArea("no bytes", .malformedTPMStructure) { $0 = [] },
                Self.pubArea("a byte more", .malformedTPMStructure) { $0.append(0) },
                Self.pubArea("a byte less", .malformedTPMStructure) { $0.removeLast() },
                Self.pubArea("another type", .malformedTPMStructure) { $0[1] = 0x25 },
                Self.pubArea("an unknown digest", .malformedTPMStructure) { $0[3] = 0x12 },
                Self.pubArea("a symmetric algorithm", .malformedTPMStructure) { $0[11] = 0x06 },
                Self.pubArea("an unknown scheme", .malformedTPMStructure) { $0[13] = 0x1A },
                Self.pubArea("another curve", .malformedTPMStructure) { $0[15] = 0x20 },
                Self.pubArea("a key derivation", .malformedTPMStructure) { $0[17] = 0x20 },
                Self.pubArea("a point that is not on the curve", .malformedTPMStructure) { $0[$0.count - 1] ^= 1 },
                Self.pubArea("the key of another credential", .wrongKey) {
                    $0 = Array($0.prefix(18)) + Self.buffer(TestP256(2).x) + Self.buffer(TestP256(2).y)
                },
            ], kind: .attestationCA, Self.tpm)
    }

    @Test(
        "An RSA key of a TPM is verified, also with SHA-1, which older versions of Windows use",
        arguments: [COSEAlgorithm.rs256, .rs1, .ps256])
    func rsa(_ algorithm: COSEAlgorithm) async throws {
        let key = try Self.rsa.get()
        let primitives = try key.publicKey.getKeyPrimitives()
        var passkey = TestPasskey()
        passkey.publicKey =
            CBOR.members([
                1: .integer(3), 3: .integer(-257), -1: .bytes(Array(primitives.modulus)),
                -2: .bytes(Array(primitives.publicExponent)),
            ]).encoded
        passkey.format = "tpm"
        passkey.statement = { context in
            // RSASSA with SHA-256 as scheme, and 0 for the exponent 65537.
            let pubArea =
                hex("0001" + "000b" + "00040000" + "0000" + "0010" + "0014000b" + "0800" + "00000000")
                + Self.buffer(Array(primitives.modulus))
            let info = Self.certInfo(extraData: algorithm.digest(context.signed), pubArea: pubArea)
            let signature =
                switch algorithm {
                case .rs1: try key.signature(for: Insecure.SHA1.hash(data: info), padding: .insecurePKCS1v1_5)
                case .ps256: try key.signature(for: SHA256.hash(data: info), padding: .PSS)
                default: try key.signature(for: SHA256.hash(data: info), padding: .insecurePKCS1v1_5)
                }
            return .members([
                "ver": .text("2.0"), "alg": .integer(algorithm.rawValue), "certInfo": .bytes(info),
                "sig": .bytes(Array(signature.rawRepresentation)), "pubArea": .bytes(pubArea),
                "x5c": .array([.bytes(try Self.identity(.init(key.publicKey)).encoded())]),
            ])
        }
        let credential = try await passkey.register()
        #expect(credential.algorithm == .rs256 && credential.attestation.kind == .attestationCA)
        #expect(credential.attestation.algorithm == algorithm)
    }
}
