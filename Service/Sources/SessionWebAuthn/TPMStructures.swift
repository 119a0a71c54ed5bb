internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import X509

/// Reads structures of TPM 2.0 (TPM 2.0 Library, Part 2): numbers with the most significant byte first.
private struct TPMReader {
    private var rest: ArraySlice<UInt8>

    var isAtEnd: Bool { rest.isEmpty }

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func bytes(_ count: Int) throws(AttestationFault) -> [UInt8] {
        guard count <= rest.count else { throw .malformedTPMStructure }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func uint16() throws(AttestationFault) -> Int { try bytes(2).reduce(0) { $0 << 8 | Int($1) } }

    mutating func uint32() throws(AttestationFault) -> Int { try bytes(4).reduce(0) { $0 << 8 | Int($1) } }

    /// Bytes after their number: `TPM2B`.
    mutating func buffer() throws(AttestationFault) -> [UInt8] { try bytes(try uint16()) }
}

/// The identifiers of algorithms that attestations use (Part 2 §6.3).
private enum TPMAlgorithm {
    static let (rsa, ecc, none) = (0x0001, 0x0023, 0x0010)
    static let (sha1, sha256, sha384, sha512) = (0x0004, 0x000B, 0x000C, 0x000D)
    /// RSASSA, RSAPSS and ECDSA: schemes of signatures, with a digest.
    static let signatures = [0x0014, 0x0016, 0x0018]
}

/// A public key of a TPM: `TPMT_PUBLIC` (Part 2 §12.2.4).
struct TPMPublicArea {
    private enum Parameters {
        case rsa(modulus: [UInt8], exponent: Int)
        case ecc(curve: Int, x: [UInt8], y: [UInt8])
    }

    /// The name that the TPM computes for the key: the algorithm, and its digest of the area (Part 1 §16).
    let name: [UInt8]
    private let parameters: Parameters

    init(_ bytes: [UInt8]) throws(AttestationFault) {
        var reader = TPMReader(bytes)
        let type = try reader.uint16()
        let nameAlgorithm = try reader.uint16()
        name = try Self.name(bytes, algorithm: nameAlgorithm)
        _ = try reader.uint32()  // attributes
        _ = try reader.buffer()  // policy
        // A key for signatures has no symmetric algorithm.
        guard try reader.uint16() == TPMAlgorithm.none else { throw .malformedTPMStructure }
        let scheme = try reader.uint16()
        if TPMAlgorithm.signatures.contains(scheme) {
            _ = try reader.uint16()
        } else if scheme != TPMAlgorithm.none {
            throw .malformedTPMStructure
        }
        switch type {
        case TPMAlgorithm.rsa:
            _ = try reader.uint16()  // bits
            let exponent = try reader.uint32()
            parameters = .rsa(modulus: try reader.buffer(), exponent: exponent == 0 ? 65537 : exponent)
        case TPMAlgorithm.ecc:
            let curve = try reader.uint16()
            guard try reader.uint16() == TPMAlgorithm.none else { throw .malformedTPMStructure }
            parameters = .ecc(curve: curve, x: try reader.buffer(), y: try reader.buffer())
        default: throw .malformedTPMStructure
        }
        guard reader.isAtEnd else { throw .malformedTPMStructure }
    }

    /// The key, to be compared with that of the credential.
    func key() throws(AttestationFault) -> Certificate.PublicKey {
        do {
            switch parameters {
            case .rsa(let modulus, let exponent):
                let exponent = (0..<4).map { UInt8(truncatingIfNeeded: exponent >> (24 - 8 * $0)) }
                return .init(
                    try _RSA.Signing.PublicKey(n: modulus.drop { $0 == 0 }, e: Array(exponent.drop { $0 == 0 })))
            case .ecc(0x0003, let x, let y):
                return .init(try P256.Signing.PublicKey(x963Representation: Self.point(x, y, 32)))
            case .ecc(0x0004, let x, let y):
                return .init(try P384.Signing.PublicKey(x963Representation: Self.point(x, y, 48)))
            case .ecc(0x0005, let x, let y):
                return .init(try P521.Signing.PublicKey(x963Representation: Self.point(x, y, 66)))
            case .ecc: break
            }
        } catch {
            throw .malformedTPMStructure
        }
        throw .malformedTPMStructure
    }

    /// The uncompressed point. A TPM may omit leading zeros of the coordinates.
    private static func point(_ x: [UInt8], _ y: [UInt8], _ size: Int) throws(AttestationFault) -> [UInt8] {
        guard x.count <= size, y.count <= size else { throw .malformedTPMStructure }
        return [0x04] + [UInt8](repeating: 0, count: size - x.count) + x
            + [UInt8](repeating: 0, count: size - y.count) + y
    }

    private static func name(_ bytes: [UInt8], algorithm: Int) throws(AttestationFault) -> [UInt8] {
        let digest: [UInt8]
        switch algorithm {
        case TPMAlgorithm.sha1: digest = Array(Insecure.SHA1.hash(data: bytes))
        case TPMAlgorithm.sha256: digest = Array(SHA256.hash(data: bytes))
        case TPMAlgorithm.sha384: digest = Array(SHA384.hash(data: bytes))
        case TPMAlgorithm.sha512: digest = Array(SHA512.hash(data: bytes))
        default: throw .malformedTPMStructure
        }
        return [UInt8(algorithm >> 8), UInt8(algorithm & 0xFF)] + digest
    }
}

/// What a TPM certifies about a key: `TPMS_ATTEST` of the type `TPM_ST_ATTEST_CERTIFY` (Part 2 §10.12.8).
struct TPMCertifyInfo {
    let extraData: [UInt8]
    /// The name of the certified key.
    let name: [UInt8]

    init(_ bytes: [UInt8]) throws(AttestationFault) {
        var reader = TPMReader(bytes)
        guard try reader.uint32() == 0xFF54_4347, try reader.uint16() == 0x8017 else { throw .malformedTPMStructure }
        _ = try reader.buffer()  // the name of the signing key
        extraData = try reader.buffer()
        _ = try reader.bytes(17 + 8)  // clock and firmware
        name = try reader.buffer()
        _ = try reader.buffer()  // the qualified name
        guard reader.isAtEnd else { throw .malformedTPMStructure }
    }
}
