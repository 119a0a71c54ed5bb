internal import Crypto
package import Foundation
internal import SessionTokens

/// What a backup contains. The sealed master keys authenticate the bytes of the manifest, so that with the passphrase a
/// changed manifest or database is detected.
package struct BackupManifest: Sendable, Equatable, Codable {
    /// The format of the backup. A new version of the software can read older formats.
    package static let supportedFormat = 1

    package struct Content: Sendable, Equatable, Codable {
        package let file: String
        /// Bytes.
        package let size: Int
        /// The SHA-256 in base64url.
        package let sha256: String

        package init(file: String, size: Int, sha256: String) {
            self.file = file
            self.size = size
            self.sha256 = sha256
        }
    }

    package struct MasterKeys: Sendable, Equatable, Codable {
        package let file: String
        /// The ids of the keys, the current one first.
        package let ids: [String]

        package init(file: String, ids: [String]) {
            self.file = file
            self.ids = ids
        }
    }

    package let format: Int
    /// RFC 3339.
    package let createdAt: String
    /// The version of the software that wrote the backup.
    package let version: String
    /// The version of the schema.
    package let schema: Int
    package let database: Content
    package let masterKeys: MasterKeys
    /// The name of the file with the sealed settings file. `nil`: the service has none.
    package let settings: String?

    private enum CodingKeys: String, CodingKey {
        case format, version, schema, database, settings
        case createdAt = "created_at"
        case masterKeys = "master_keys"
    }

    package init(
        createdAt: Timestamp, version: String, schema: Int, database: Content, masterKeys: MasterKeys,
        settings: String? = nil
    ) {
        format = Self.supportedFormat
        self.createdAt = createdAt.rfc3339
        self.version = version
        self.schema = schema
        self.database = database
        self.masterKeys = masterKeys
        self.settings = settings
    }

    /// Reads a manifest.
    ///
    /// - Throws: `BackupError.invalidManifest`, `.newerFormat`.
    package init(_ bytes: Data) throws(BackupError) {
        struct Format: Decodable { let format: Int }
        guard let found = try? TokenJSON.decode(Format.self, from: bytes) else { throw .invalidManifest }
        guard found.format <= Self.supportedFormat else { throw .newerFormat(found.format) }
        guard let manifest = try? TokenJSON.decode(Self.self, from: bytes) else { throw .invalidManifest }
        // The names become paths.
        for name in [manifest.database.file, manifest.masterKeys.file, manifest.settings ?? "none"] {
            guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { throw .invalidManifest }
        }
        self = manifest
    }

    package func encoded() throws -> Data { try TokenJSON.encode(self, isPretty: true) }

    /// - Throws: `BackupError.newerSchema` for a database that this version cannot use.
    package func check(supportedSchema: Int) throws(BackupError) {
        guard schema <= supportedSchema else { throw .newerSchema(found: schema, supported: supportedSchema) }
    }
}

/// A backup cannot be used.
package enum BackupError: Error, Equatable, CustomStringConvertible {
    case invalidManifest
    case newerFormat(Int)
    case newerSchema(found: Int, supported: Int)
    case invalidSealedKeys
    /// The passphrase is wrong, or the manifest or the sealed keys were changed.
    case cannotOpen

    package var description: String {
        switch self {
        case .invalidManifest: "the manifest is damaged"
        case .newerFormat(let format):
            "the backup has format \(format), and this version reads up to \(BackupManifest.supportedFormat). "
                + "Use the version that wrote it"
        case .newerSchema(let found, let supported):
            "the backup has schema \(found), and this version supports up to \(supported). Use the version that wrote it"
        case .invalidSealedKeys: "a file that is sealed with the passphrase is damaged"
        case .cannotOpen:
            "the backup cannot be opened: the passphrase is wrong, or a file of the backup was changed"
        }
    }
}

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
        guard let read = try? TokenJSON.decode(Self.self, from: bytes), read.version == 1, read.kdf == "argon2id",
            read.derivation.salt.count == Self.saltLength
        else { throw .invalidSealedKeys }
        self = read
    }

    package func encoded() throws -> Data { try TokenJSON.encode(self, isPretty: true) }

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

/// The master keys after a restore.
package enum RestoredMasterKeys {
    /// Returns the existing keys and those of the backup, without repetition.
    ///
    /// The backup's keys open its signing keys. The existing ones are kept: devices that refreshed after the backup have
    /// tokens that were made with them.
    package static func merge(existing: [MasterKey], backup: [MasterKey]) -> [MasterKey] {
        existing + missing(in: existing, of: backup)
    }

    /// Returns the keys of the backup that do not exist.
    package static func missing(in existing: [MasterKey], of backup: [MasterKey]) -> [MasterKey] {
        backup.filter { !existing.contains($0) }
    }
}
