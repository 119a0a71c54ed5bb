internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import X509

/// An algorithm for signatures by its number in COSE (RFC 9053 §2, RFC 8812 §2).
package enum COSEAlgorithm: Int64, Hashable, Sendable, CaseIterable {
    /// ECDSA with P-256 and SHA-256.
    case es256 = -7
    /// ECDSA with P-384 and SHA-384.
    case es384 = -35
    /// ECDSA with P-521 and SHA-512.
    case es512 = -36
    /// Ed25519.
    case edDSA = -8
    /// RSASSA-PSS with SHA-256.
    case ps256 = -37
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = -257
    /// RSASSA-PKCS1-v1_5 with SHA-1. Only statements of TPMs may use it: older versions of Windows Hello do.
    case rs1 = -65535

    /// What credentials may use, in the order of preference.
    package static let forCredentials: [COSEAlgorithm] = [.es256, .edDSA, .es384, .es512, .ps256, .rs256]

    /// The digest of the algorithm. Empty for Ed25519, which has none of its own.
    func digest(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .es256, .ps256, .rs256: Array(SHA256.hash(data: message))
        case .es384: Array(SHA384.hash(data: message))
        case .es512: Array(SHA512.hash(data: message))
        case .rs1: Array(Insecure.SHA1.hash(data: message))
        case .edDSA: []
        }
    }
}

/// The public key of a credential (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4).
struct COSEKey: Sendable {
    private enum Label {
        static let (keyType, algorithm): (Int64, Int64) = (1, 3)
        static let (curve, x, y): (Int64, Int64, Int64) = (-1, -2, -3)
        static let (modulus, exponent): (Int64, Int64) = (-1, -2)
    }

    let algorithm: COSEAlgorithm
    let key: Certificate.PublicKey

    /// Reads a key. It has the members that its type requires and no others (§6.5.1).
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard let map = try CBOR.read(bytes, keys: .canonical).mapValue else { throw .malformedKey }
        guard let number = map[Label.algorithm]?.integerValue else { throw .malformedKey }
        guard let algorithm = COSEAlgorithm(rawValue: number), algorithm != .rs1 else {
            throw .algorithmNotAllowed(number)
        }
        self.algorithm = algorithm
        do {
            switch algorithm {
            case .es256: key = .init(try P256.Signing.PublicKey(x963Representation: Self.point(map, curve: 1, 32)))
            case .es384: key = .init(try P384.Signing.PublicKey(x963Representation: Self.point(map, curve: 2, 48)))
            case .es512: key = .init(try P521.Signing.PublicKey(x963Representation: Self.point(map, curve: 3, 66)))
            case .edDSA: key = .init(try Curve25519.Signing.PublicKey(rawRepresentation: Self.edwardsPoint(map)))
            case .ps256, .rs256, .rs1: key = .init(try Self.rsaKey(map))
            }
        } catch {
            throw .malformedKey
        }
    }

    func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        key.isValidSignature(signature, for: message, algorithm: algorithm) ?? false
    }

    /// The uncompressed point of a key with two coordinates. Its coordinates have leading zeros (RFC 9053 §7.1.1).
    private static func point(_ map: CBORMap, curve: Int64, _ size: Int) throws(WebAuthnError) -> [UInt8] {
        guard map[Label.keyType] == .integer(2), map[Label.curve] == .integer(curve), map.members.count == 5,
            let x = map[Label.x]?.bytesValue, x.count == size, let y = map[Label.y]?.bytesValue, y.count == size
        else { throw .malformedKey }
        return [0x04] + x + y
    }

    private static func edwardsPoint(_ map: CBORMap) throws(WebAuthnError) -> [UInt8] {
        guard map[Label.keyType] == .integer(1), map[Label.curve] == .integer(6), map.members.count == 4,
            let x = map[Label.x]?.bytesValue, x.count == 32
        else { throw .malformedKey }
        return x
    }

    /// A key of 2048 to 4096 bits, without leading zeros.
    private static func rsaKey(_ map: CBORMap) throws -> _RSA.Signing.PublicKey {
        guard map[Label.keyType] == .integer(3), map.members.count == 4,
            let modulus = map[Label.modulus]?.bytesValue, (256...512).contains(modulus.count), modulus[0] != 0,
            modulus.count > 256 || modulus[0] >= 0x80,
            let exponent = map[Label.exponent]?.bytesValue, (1...4).contains(exponent.count), exponent[0] != 0
        else { throw WebAuthnError.malformedKey }
        return try _RSA.Signing.PublicKey(n: modulus, e: exponent)
    }
}

extension Certificate.PublicKey {
    /// Verifies a signature of an algorithm of COSE. Signatures of ECDSA are in DER (§6.5.5).
    ///
    /// - Returns: `nil` if the algorithm does not fit the key.
    func isValidSignature(_ signature: [UInt8], for message: [UInt8], algorithm: COSEAlgorithm) -> Bool? {
        switch algorithm {
        case .es256:
            guard let key = P256.Signing.PublicKey(self) else { return nil }
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .es384:
            guard let key = P384.Signing.PublicKey(self) else { return nil }
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .es512:
            guard let key = P521.Signing.PublicKey(self) else { return nil }
            guard let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .edDSA:
            return Curve25519.Signing.PublicKey(self)?.isValidSignature(signature, for: message)
        case .ps256, .rs256, .rs1:
            guard let key = _RSA.Signing.PublicKey(self) else { return nil }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            if algorithm == .rs1 {
                return key.isValidSignature(
                    signature, for: Insecure.SHA1.hash(data: message), padding: .insecurePKCS1v1_5)
            }
            return key.isValidSignature(
                signature, for: SHA256.hash(data: message), padding: algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
        }
    }
}
