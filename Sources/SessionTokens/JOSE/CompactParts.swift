package import Foundation

/// The three decoded parts of a compact JWS (RFC 7515 §7.1). Header and signature are not checked.
package struct CompactParts: Sendable {
    /// The protected header as unparsed JSON.
    package let header: Data
    package let payload: Data
    package let signature: Data
    package let signingInput: Data

    /// The maximum length of a token in bytes. All headers of a request together are limited to 16 KiB.
    package static let maximumLength = 8192

    package init(_ text: String) throws(JWSError) {
        let bytes = text.utf8
        guard bytes.count <= Self.maximumLength else { throw .malformed }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URL.decode(Substring(parts[0])),
            let payload = Base64URL.decode(Substring(parts[1])),
            let signature = Base64URL.decode(Substring(parts[2]))
        else { throw .malformed }
        self.header = header
        self.payload = payload
        self.signature = signature
        signingInput = Data(bytes.prefix(parts[0].count + 1 + parts[1].count))
    }
}
