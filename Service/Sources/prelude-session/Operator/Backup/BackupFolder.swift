import ArgumentParser
import Foundation
import SessionArgon2
import SessionDomain
import SessionSQLite

/// The directory of a backup: the database, the sealed master keys, and the manifest.
struct BackupFolder {
    private static let database = "session.sqlite"
    private static let masterKeys = "master-keys.sealed"
    private static let manifest = "manifest.json"

    let path: String

    private func file(_ name: String) -> String { path + "/" + name }

    // MARK: Writing

    func checkIsNew() throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ConfigurationError("backup", "\(path) exists. Name a new directory")
        }
        if let problem = WritableFolder(of: path).problem { throw ConfigurationError("backup", problem) }
    }

    /// Writes all files into a directory beside this one, syncs them, and renames the directory. So a backup that exists
    /// is complete.
    func write(
        database: String, masterKeys: [MasterKey], passphrase: String, environment: ServiceEnvironment
    ) throws -> BackupManifest {
        let suffix = environment.randomBytes(4).map { String($0, radix: 16) }.joined()
        let partial = BackupFolder(path: path + ".partial-" + suffix)
        try FileManager.default.createDirectory(
            atPath: partial.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do {
            let manifest = try partial.fill(
                database: database, masterKeys: masterKeys, passphrase: passphrase, environment: environment)
            try checkIsNew()
            try DurableFile.sync(partial.path)
            try DurableFile.move(partial.path, to: path)
            return manifest
        } catch {
            try? FileManager.default.removeItem(atPath: partial.path)
            throw error
        }
    }

    private func fill(
        database: String, masterKeys: [MasterKey], passphrase: String, environment: ServiceEnvironment
    ) throws -> BackupManifest {
        let createdAt = environment.now()
        let copy = file(Self.database)
        try DatabaseCopy.write(database, to: copy)
        let schema = try DatabaseCheck.run(at: copy)
        let (size, sha256) = try FileDigest.sha256(of: copy)
        let manifest = BackupManifest(
            createdAt: createdAt, version: PreludeSessionCommand.configuration.version, schema: schema,
            database: .init(file: Self.database, size: size, sha256: sha256),
            masterKeys: .init(file: Self.masterKeys, ids: masterKeys.map(\.id)))
        let bytes = try manifest.encoded()
        let salt = Data(environment.randomBytes(SealedMasterKeys.saltLength))
        let cost = PassphraseKey.cost
        let sealed = try SealedMasterKeys(
            sealing: try MasterKeyFormat.encode(masterKeys),
            key: try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost),
            derivation: .init(passes: cost.passes, memory: cost.memory, salt: salt), manifest: bytes)
        try DurableFile.create(file(Self.masterKeys), try sealed.encoded())
        try DurableFile.create(file(Self.manifest), bytes)
        return manifest
    }

    // MARK: Reading

    /// Reads the manifest with its bytes, which the sealed master keys authenticate.
    func manifest() throws -> (content: BackupManifest, bytes: Data) {
        guard let bytes = FileManager.default.contents(atPath: file(Self.manifest)) else {
            throw ConfigurationError("backup", "\(path) has no \(Self.manifest): it is not a backup")
        }
        let content = try BackupError.explained { try BackupManifest(bytes) }
        return (content, bytes)
    }

    /// Checks everything and opens the master keys.
    ///
    /// - Throws: `ConfigurationError` or `BackupError` with what is wrong.
    func open(passphrase: String) throws -> (manifest: BackupManifest, database: String, masterKeys: [MasterKey]) {
        let (manifest, bytes) = try manifest()
        try manifest.check(supportedSchema: SQLiteStore.supportedSchema)
        let masterKeys = try openMasterKeys(manifest, bytes, passphrase)
        let database = file(manifest.database.file)
        guard try FileDigest.sha256(of: database) == (manifest.database.size, manifest.database.sha256) else {
            throw ConfigurationError("backup", "\(database) was changed or is damaged: its SHA-256 is another one")
        }
        guard try DatabaseCheck.run(at: database) == manifest.schema else { throw BackupError.invalidManifest }
        return (manifest, database, masterKeys)
    }

    private func openMasterKeys(_ manifest: BackupManifest, _ bytes: Data, _ passphrase: String) throws -> [MasterKey] {
        let path = file(manifest.masterKeys.file)
        guard let content = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("backup", "\(path) cannot be read")
        }
        let sealed = try SealedMasterKeys(content)
        // A changed file must not make the command use any amount of memory.
        guard let cost = try? Argon2Cost(passes: sealed.derivation.passes, memory: sealed.derivation.memory) else {
            throw BackupError.invalidSealedKeys
        }
        let key = try PassphraseKey.derive(from: passphrase, salt: sealed.derivation.salt, cost: cost)
        let keyFile = try sealed.open(key: key, manifest: bytes)
        return try MasterKeyFormat(setting: "backup", place: path).decode(String(decoding: keyFile, as: UTF8.self))
    }
}
