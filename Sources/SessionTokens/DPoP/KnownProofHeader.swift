internal import Foundation

/// The header of a proof whose signature was valid, as it was sent, and the key in it.
///
/// A device sends the same header with each proof. A checker that knows it reads neither its JSON nor its key again, which
/// costs more than all comparisons of a request.
package struct KnownProofHeader: Sendable, Equatable {
    /// The most bytes of a header that is worth to be kept. That of a P-256 key has about 230.
    package static let maximumLength = 512

    /// The header in base64url.
    package let encoded: String
    package let key: PublicJWK

    /// - Parameter encoded: The header of a proof whose signature is valid, with this key in it.
    package init(encoded: String, key: PublicJWK) {
        self.encoded = encoded
        self.key = key
    }

    /// Whether a proof begins with exactly this header.
    func begins(_ proof: String) -> Bool {
        var (proof, header) = (proof, encoded)
        return proof.withUTF8 { proof in
            header.withUTF8 { header in
                guard proof.count > header.count, proof[header.count] == UInt8(ascii: "."),
                    let first = proof.baseAddress, let second = header.baseAddress
                else { return false }
                return memcmp(first, second, header.count) == 0
            }
        }
    }

    /// The header of a proof, in base64url. `nil` without a dot, and for a header that is not worth to be kept.
    package static func encoded(of proof: String) -> String? {
        var proof = proof
        let length: Int? = proof.withUTF8 { bytes in
            guard let start = bytes.baseAddress,
                let dot = memchr(start, CInt(UInt8(ascii: ".")), min(bytes.count, maximumLength + 1))
            else { return nil }
            return UnsafeRawPointer(dot) - UnsafeRawPointer(start)
        }
        return length.flatMap { String(proof.utf8.prefix($0)) }
    }
}
