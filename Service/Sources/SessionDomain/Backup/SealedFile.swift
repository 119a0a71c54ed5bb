internal import Crypto
package import Foundation

/// A file of a backup that is encrypted with a key from a passphrase (AES-256-GCM), and how that key is derived.
package struct SealedFile: Sendable, Equatable, Codable {
    /// The parameters of argon2id (RFC 9106).
    package struct Derivation: Sendable, Equatable, Codable {
        package let passes: Int
        /// KiB.
        package let memory: Int
        package let salt: Data

        package init(passes: Int, memory: Int, salt: Data) {
            self.passes = passes
            self.memory = memory
            self.salt = salt
        }
    }

    /// Bytes of a salt.
    package static let saltLength = 16

    private let version: Int
    private let kdf: String
    package let derivation: Derivation
    private let sealed: Data

    /// Encrypts a file.
    ///
    /// - Parameters:
    ///   - key: 256 bits, from the passphrase.
    ///   - manifest: The bytes of the manifest. Only with the same bytes the file can be opened again.
    package init(sealing content: Data, key: Data, derivation: Derivation, manifest: Data) throws {
        let box = try AES.GCM.seal(content, using: SymmetricKey(data: key), authenticating: manifest)
        guard let combined = box.combined else { throw BackupError.invalidSealedKeys }
        version = 1
        kdf = "argon2id"
        self.derivation = derivation
        sealed = combined
    }

    /// - Throws: `BackupError.invalidSealedKeys` for bytes that are no sealed file of this version.
    package init(_ bytes: Data) throws(BackupError) {
        guard let read = try? JSONDecoder().decode(Self.self, from: bytes), read.version == 1, read.kdf == "argon2id",
            read.derivation.salt.count == Self.saltLength
        else { throw .invalidSealedKeys }
        self = read
    }

    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Decrypts the file.
    ///
    /// - Throws: `BackupError.cannotOpen` for another key or another manifest.
    package func open(key: Data, manifest: Data) throws(BackupError) -> Data {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let content = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: manifest)
        else { throw .cannotOpen }
        return content
    }
}
