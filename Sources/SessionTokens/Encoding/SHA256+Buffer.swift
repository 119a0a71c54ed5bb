public import Crypto
public import Foundation

/// SHA-256 over bytes that are in memory in one piece.
///
/// On Linux, `hash(data:)` of swift-crypto finds the bytes of its argument through protocols at run time. That takes 2 µs,
/// longer than the hash of a token.
extension SHA256 {
    public static func digest(of message: Data) -> SHA256Digest {
        var hash = SHA256()
        message.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    /// The digest of the UTF-8 forms of texts, one after the other.
    public static func digest(of texts: String...) -> SHA256Digest {
        var hash = SHA256()
        for var text in texts { text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) } }
        return hash.finalize()
    }
}
