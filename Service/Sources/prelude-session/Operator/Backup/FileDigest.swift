import Crypto
import Foundation
import SessionTokens

/// Hashes files of any size.
enum FileDigest {
    /// Returns the number of bytes and their SHA-256 in base64url.
    ///
    /// - Parameter setting: What an error names.
    static func sha256(of path: String, setting: String = "backup") throws -> (size: Int, sha256: String) {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw ConfigurationError(setting, "\(path) cannot be read")
        }
        defer { try? handle.close() }
        var (digest, size) = (SHA256(), 0)
        while let block = try handle.read(upToCount: 1 << 20), !block.isEmpty {
            digest.update(data: block)
            size += block.count
        }
        return (size, Base64URL.encode(digest.finalize()))
    }
}
