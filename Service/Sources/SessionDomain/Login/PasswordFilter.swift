internal import Crypto
package import Foundation

/// A set of passwords as a Bloom filter: it contains every password of the set, and rarely another one.
///
/// `scripts/make-password-filter` writes it. Format, numbers in big endian: `PSPF`, the version (1 byte), the number of hash
/// functions (1 byte), of entries and of bits (4 bytes each), the SHA-256 of all other bytes, and the bits.
package struct PasswordFilter: Sendable {
    private static let magic = Array("PSPF".utf8)
    private static let version: UInt8 = 1
    private static let digestOffset = 14
    private static let headerSize = digestOffset + SHA256.byteCount

    /// The number of passwords in the set.
    package let entries: Int
    private let hashes: UInt64
    private let bitCount: UInt64
    private let bits: [UInt8]

    /// - Throws: `PasswordFilterError` when the bytes are not a whole filter of this version.
    package init(_ content: Data) throws(PasswordFilterError) {
        let bytes = [UInt8](content)
        guard bytes.count > Self.headerSize, bytes.starts(with: Self.magic) else { throw .notAFilter }
        guard bytes[4] == Self.version else { throw .unknownVersion(Int(bytes[4])) }
        let digest = bytes[Self.digestOffset..<Self.headerSize]
        let rest = bytes[..<Self.digestOffset] + bytes[Self.headerSize...]
        guard digest.elementsEqual(SHA256.hash(data: rest)) else { throw .wrongChecksum }
        func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let bitCount = number(at: 10)
        guard bytes[5] > 0, bitCount > 0, (bitCount + 7) / 8 == bytes.count - Self.headerSize else {
            throw .wrongSize
        }
        entries = number(at: 6)
        hashes = UInt64(bytes[5])
        self.bitCount = UInt64(bitCount)
        bits = Array(bytes[Self.headerSize...])
    }

    /// Whether the set contains a password, in any case and in any compatible form (NFKC).
    ///
    /// The hash is of the password as `PasswordHasher` normalizes it, in lower case.
    package func contains(_ password: String) -> Bool {
        let (first, second) = Self.hash(password)
        var position = first
        for _ in 0..<hashes {
            let bit = position % bitCount
            guard bits[Int(bit >> 3)] & 1 << UInt8(bit & 7) != 0 else { return false }
            position &+= second
        }
        return true
    }

    /// Two halves of one hash. The hash functions of the filter are sums of both (double hashing).
    private static func hash(_ password: String) -> (first: UInt64, second: UInt64) {
        SHA256.hash(data: Data(password.foldedPassword.utf8)).withUnsafeBytes { digest in
            func half(_ offset: Int) -> UInt64 {
                digest[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
            return (half(0), half(8) | 1)
        }
    }
}

package enum PasswordFilterError: Error, Equatable, CustomStringConvertible {
    case notAFilter
    case unknownVersion(Int)
    case wrongChecksum
    case wrongSize

    package var description: String {
        switch self {
        case .notAFilter: "the content is not a filter of passwords"
        case .unknownVersion(let version): "the filter of passwords has the unknown version \(version)"
        case .wrongChecksum: "the filter of passwords is damaged: its checksum differs"
        case .wrongSize: "the filter of passwords has another size than its header says"
        }
    }
}

extension String {
    /// The password in NFKC and lower case: spellings that a guesser tries together.
    var foldedPassword: String { precomposedStringWithCompatibilityMapping.lowercased() }
}
