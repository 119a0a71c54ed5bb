public import Foundation

/// The three decoded parts of a compact JWS (RFC 7515 §7.1). Header and signature are not checked.
public struct CompactParts: Sendable {
    /// The protected header as unparsed JSON. Empty if it is not decoded.
    public let header: Data
    public let payload: Data
    public let signature: Data
    public let signingInput: Data

    /// The maximum length of a token in bytes. All headers of a request together are limited to 16 KiB.
    public static let maximumLength = 8192

    /// - Parameter decodingHeader: `false` for a header that the caller knows.
    public init(_ text: String, decodingHeader: Bool = true) throws(JWSError) {
        var text = text
        let parts: CompactParts? = text.withUTF8 { bytes in
            guard bytes.count <= Self.maximumLength, let dots = Self.dots(in: bytes),
                let header = Base64URL.decode(
                    buffer: UnsafeBufferPointer(rebasing: bytes[..<(decodingHeader ? dots.first : 0)])),
                let payload = Base64URL.decode(
                    buffer: UnsafeBufferPointer(rebasing: bytes[(dots.first + 1)..<dots.second])),
                let signature = Base64URL.decode(buffer: UnsafeBufferPointer(rebasing: bytes[(dots.second + 1)...]))
            else { return nil }
            return CompactParts(
                header: header, payload: payload, signature: signature,
                signingInput: Data(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<dots.second])))
        }
        guard let parts else { throw .malformed }
        self = parts
    }

    private init(header: Data, payload: Data, signature: Data, signingInput: Data) {
        self.header = header
        self.payload = payload
        self.signature = signature
        self.signingInput = signingInput
    }

    /// The payload alone. `nil`: the text is not three parts, or the payload is not base64url.
    static func payload(of text: String) -> Data? {
        var text = text
        return text.withUTF8 { bytes in
            guard let dots = dots(in: bytes) else { return nil }
            return Base64URL.decode(buffer: UnsafeBufferPointer(rebasing: bytes[(dots.first + 1)..<dots.second]))
        }
    }

    /// Where the two dots are. `nil`: there are fewer or more.
    private static func dots(in bytes: UnsafeBufferPointer<UInt8>) -> (first: Int, second: Int)? {
        guard let first = dot(in: bytes, from: 0), let second = dot(in: bytes, from: first + 1),
            dot(in: bytes, from: second + 1) == nil
        else { return nil }
        return (first, second)
    }

    /// The first dot at or behind a position. The C library compares many bytes at once.
    private static func dot(in bytes: UnsafeBufferPointer<UInt8>, from position: Int) -> Int? {
        guard let start = bytes.baseAddress, position < bytes.count,
            let found = memchr(start + position, CInt(UInt8(ascii: ".")), bytes.count - position)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
}
