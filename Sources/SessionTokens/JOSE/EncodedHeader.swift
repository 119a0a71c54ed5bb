internal import Foundation

/// The protected header of a compact JWS as it was sent, in base64url (RFC 7515 §7.1).
///
/// The tokens of one key and the proofs of one device repeat their header. Equal texts have equal content, so a reader that
/// knows a text need not read it again.
public enum EncodedHeader {
    /// The most bytes of a header that is worth to be kept. That of a proof with a P-256 key has about 230.
    public static let maximumLength = 512

    /// The header of a token. `nil` without a dot, and for a header that is not worth to be kept.
    public static func text(of token: String) -> String? {
        var token = token
        let length: Int? = token.withUTF8 { bytes in
            guard let start = bytes.baseAddress,
                let dot = memchr(start, CInt(UInt8(ascii: ".")), min(bytes.count, maximumLength + 1))
            else { return nil }
            return UnsafeRawPointer(dot) - UnsafeRawPointer(start)
        }
        return length.flatMap { String(token.utf8.prefix($0)) }
    }

    /// Whether a token begins with exactly this header.
    static func begins(_ token: String, with header: String) -> Bool {
        var (token, header) = (token, header)
        return token.withUTF8 { token in
            header.withUTF8 { header in
                guard token.count > header.count, token[header.count] == UInt8(ascii: "."),
                    let first = token.baseAddress, let second = header.baseAddress
                else { return false }
                return memcmp(first, second, header.count) == 0
            }
        }
    }
}
