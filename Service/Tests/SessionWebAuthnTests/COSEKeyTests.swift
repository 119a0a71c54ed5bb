import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import SessionWebAuthn

@Suite("Keys (RFC 9053) and signatures")
struct COSEKeyTests {
    private static let message: [UInt8] = Array("message".utf8)
    /// A key of 2048 bits. Its generation takes a second.
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private static func rsaKey(_ algorithm: Int64, change: ((inout [UInt8], inout [UInt8]) -> Void)? = nil) throws
        -> CBOR
    {
        let primitives = try rsa.get().publicKey.getKeyPrimitives()
        var (n, e) = (Array(primitives.modulus), Array(primitives.publicExponent))
        change?(&n, &e)
        return .members([1: .integer(3), 3: .integer(algorithm), -1: .bytes(n), -2: .bytes(e)])
    }

    @Test("Each algorithm verifies its signature, and no other message")
    func algorithms() throws {
        let p384 = P384.Signing.PrivateKey()
        let p521 = P521.Signing.PrivateKey()
        let ed25519 = Curve25519.Signing.PrivateKey()
        let rsa = try Self.rsa.get()
        func point(_ raw: Data, _ algorithm: Int64, _ curve: Int64) -> CBOR {
            .members([
                1: .integer(2), 3: .integer(algorithm), -1: .integer(curve),
                -2: .bytes(Array(raw.prefix(raw.count / 2))), -3: .bytes(Array(raw.suffix(raw.count / 2))),
            ])
        }
        let message = Self.message
        let cases: [(CBOR, Data)] = [
            (TestP256().publicKey, Data(try TestP256().sign(message))),
            (point(p384.publicKey.rawRepresentation, -35, 2), try p384.signature(for: message).derRepresentation),
            (point(p521.publicKey.rawRepresentation, -36, 3), try p521.signature(for: message).derRepresentation),
            (
                .members([
                    1: .integer(1), 3: .integer(-8), -1: .integer(6),
                    -2: .bytes(Array(ed25519.publicKey.rawRepresentation)),
                ]), try ed25519.signature(for: message)
            ),
            (
                try Self.rsaKey(-257),
                try rsa.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
            ),
            (try Self.rsaKey(-37), try rsa.signature(for: SHA256.hash(data: message), padding: .PSS).rawRepresentation),
        ]
        #expect(cases.count == COSEAlgorithm.forCredentials.count)
        for (item, signature) in cases {
            let key = try COSEKey(item.encoded)
            #expect(key.isValidSignature(Array(signature), for: message), "\(key.algorithm)")
            #expect(!key.isValidSignature(Array(signature), for: message + [0]), "\(key.algorithm)")
            #expect(!key.isValidSignature(Array(signature.dropLast()), for: message), "\(key.algorithm)")
            #expect(!key.isValidSignature([], for: message), "\(key.algorithm)")
            for other in COSEAlgorithm.allCases where other != key.algorithm {
                #expect(key.key.isValidSignature(Array(signature), for: message, algorithm: other) != true)
            }
        }
    }

    private static let p256 = TestP256()
    private static func key(
        _ type: CBOR? = .integer(2), _ algorithm: CBOR? = .integer(-7), _ curve: CBOR? = .integer(1),
        x: CBOR? = .bytes(p256.x), y: CBOR? = .bytes(p256.y), other: (Int64, CBOR)? = nil
    ) -> [UInt8] {
        let members: [(Int64, CBOR?)] = [(1, type), (3, algorithm), (-1, curve), (-2, x), (-3, y)]
        let present = members.compactMap { key, value in value.map { CBORMap.Member(key: .integer(key), value: $0) } }
        return CBOR.map(
            CBORMap(members: present + (other.map { [.init(key: .integer($0.0), value: $0.1)] } ?? []))
        ).encoded
    }

    @Test(
        "A malformed key is rejected",
        arguments: [
            ("no key type", key(nil)), ("another key type", key(.integer(3))),
            ("a key type as text", key(.text("EC2"))),
            ("no algorithm", key(.integer(2), nil)), ("the algorithm as text", key(.integer(2), .text("ES256"))),
            ("no curve", key(.integer(2), .integer(-7), nil)),
            ("another curve", key(.integer(2), .integer(-7), .integer(2))),
            ("secp256k1", key(.integer(2), .integer(-7), .integer(8))),
            ("no x", key(x: nil)), ("a short x", key(x: .bytes(Array(p256.x.dropFirst())))),
            ("a long x", key(x: .bytes([0] + p256.x))), ("no y", key(y: nil)),
            ("a compressed point", key(y: .bool(true))), ("a point that is not on the curve", key(y: .bytes(p256.x))),
            (
                "the point at infinity",
                key(x: .bytes(.init(repeating: 0, count: 32)), y: .bytes(.init(repeating: 0, count: 32)))
            ),
            ("x above the field", key(x: .bytes(.init(repeating: 0xFF, count: 32)))),
            ("a key id", key(other: (2, .bytes([1])))), ("a private part", key(other: (-4, .bytes(p256.x)))),
            ("an array", CBOR.array([]).encoded), ("an empty map", [0xA0]),
            (
                "Ed25519 with y",
                CBOR.members([1: .integer(1), 3: .integer(-8), -1: .integer(6), -2: .bytes(p256.x), -3: .bytes(p256.x)])
                    .encoded
            ),
            (
                "Ed25519 of 31 bytes",
                CBOR.members([1: .integer(1), 3: .integer(-8), -1: .integer(6), -2: .bytes(Array(p256.x.dropFirst()))])
                    .encoded
            ),
            (
                "Ed448",
                CBOR.members([
                    1: .integer(1), 3: .integer(-8), -1: .integer(7), -2: .bytes(.init(repeating: 1, count: 57)),
                ]).encoded
            ),
        ] as [(String, [UInt8])])
    func malformed(_ name: String, _ bytes: [UInt8]) {
        #expect(throws: WebAuthnError.malformedKey) { try COSEKey(bytes) }
    }

    @Test("An unknown algorithm, and SHA-1, are rejected by number", arguments: [0, -47, -53, -258, -65535] as [Int64])
    func unknown(_ number: Int64) {
        #expect(throws: WebAuthnError.algorithmNotAllowed(number)) {
            try COSEKey(Self.key(.integer(2), .integer(number)))
        }
    }

    @Test("Bytes after a key, and keys that are not sorted, are rejected")
    func notCanonical() throws {
        #expect(throws: WebAuthnError.malformedCBOR(.trailingBytes)) { try COSEKey(Self.key() + [0]) }
        #expect(throws: WebAuthnError.malformedCBOR(.unsortedKeys)) { try COSEKey(hex("a203260102")) }
        _ = try COSEKey(Self.key())
    }

    @Test("RSA keys with other sizes or leading zeros are rejected")
    func rsaSizes() throws {
        _ = try COSEKey(Self.rsaKey(-257).encoded)
        let changes: [(inout [UInt8], inout [UInt8]) -> Void] = [
            { n, _ in n = [0] + n }, { n, _ in n = Array(n.dropLast()) }, { n, _ in n[0] = 0x7F },
            { n, _ in n = .init(repeating: 0xFF, count: 513) }, { _, e in e = [0] + e }, { _, e in e = [] },
            { _, e in e = [1, 0, 0, 0, 1] }, { _, e in e = [2] }, { n, _ in n = [] },
        ]
        for (index, change) in changes.enumerated() {
            #expect(throws: WebAuthnError.malformedKey, "\(index)") {
                try COSEKey(Self.rsaKey(-257, change: change).encoded)
            }
        }
    }

    // MARK: - Signatures in DER

    /// The cases of Wycheproof's ECDSA tests, by their rule, on a signature of this key.
    @Test("A signature of ECDSA has one encoding (X.690 §10, RFC 3279 §2.2.3)")
    func der() throws {
        let key = try COSEKey(Self.p256.publicKey.encoded)
        let raw = Array(try Self.p256.key.signature(for: Self.message).rawRepresentation)
        let (r, s) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            let digits = Array(bytes.drop { $0 == 0 })
            let value = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
            return [0x02, UInt8(value.count)] + value
        }
        func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }
        let (derR, derS) = (integer(r), integer(s))
        #expect(key.isValidSignature(sequence(derR + derS), for: Self.message))

        let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let zero: [UInt8] = [0x02, 0x01, 0x00]
        func padded(_ integer: [UInt8]) -> [UInt8] { [0x02, integer[1] + 1, 0x00] + integer.dropFirst(2) }
        let invalid: [(String, [UInt8])] = [
            ("no bytes", []), ("raw", raw), ("an empty sequence", [0x30, 0x00]), ("r only", sequence(derR)),
            ("three integers", sequence(derR + derS + zero)), ("bytes after the sequence", sequence(derR + derS) + [0]),
            ("a long form of the length", [0x30, 0x81, UInt8(derR.count + derS.count)] + derR + derS),
            ("indefinite length", [0x30, 0x80] + derR + derS + [0, 0]),
            ("a set", [0x31] + sequence(derR + derS).dropFirst()),
            ("a length that is too small", [0x30, UInt8(derR.count + derS.count - 1)] + derR + derS),
            ("a length that is too large", [0x30, UInt8(derR.count + derS.count + 1)] + derR + derS),
            ("r with a leading zero", sequence(padded(derR) + derS)),
            ("s with a leading zero", sequence(derR + padded(derS))),
            ("r as octets", sequence([0x04] + derR.dropFirst() + derS)), ("r is 0", sequence(zero + derS)),
            ("s is 0", sequence(derR + zero)), ("both are 0", sequence(zero + zero)),
            ("r is 1", sequence([0x02, 0x01, 0x01] + derS)), ("r is -1", sequence([0x02, 0x01, 0xFF] + derS)),
            ("an empty r", sequence([0x02, 0x00] + derS)), ("r is the order", sequence(integer(order) + derS)),
            ("s is the order", sequence(derR + integer(order))),
            ("both are the order", sequence(integer(order) + integer(order))),
            ("r and s exchanged", sequence(derS + derR)),
            ("a long r", sequence([0x02, 33 + 1, 0x01] + [UInt8](repeating: 0, count: 33) + derS)),
        ]
        for (name, signature) in invalid {
            #expect(!key.isValidSignature(signature, for: Self.message), "\(name)")
        }
        // A negative number: the same digits without the zero in front.
        let negative = [0x02, 0x20, 0x80 | r[0]] + r.dropFirst()
        #expect(!key.isValidSignature(sequence(negative + derS), for: Self.message))
    }
}
