import ArgumentParser
import Foundation
import SessionArgon2
import SessionDomain
import SessionSQLite

/// The directory of a backup: the database, the sealed master keys, and the manifest.
struct BackupFolder {
    private static let database = "session.sqlite"
    private static let masterKeys = "master-keys.sealed"
    private static let settings = "settings.sealed"
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
    ///
    /// - Parameter settings: The settings file of the service.
    func write(
        database: String, masterKeys: [MasterKey], settings: Data?, passphrase: String, environment: ServiceEnvironment
    ) throws -> BackupManifest {
        let suffix = environment.randomBytes(4).map { String($0, radix: 16) }.joined()
        let partial = BackupFolder(path: path + ".partial-" + suffix)
        try FileManager.default.createDirectory(
            atPath: partial.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do {
            let manifest = try partial.fill(
                database: database, masterKeys: masterKeys, settings: settings, passphrase: passphrase,
                environment: environment)
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
        database: String, masterKeys: [MasterKey], settings: Data?, passphrase: String, environment: ServiceEnvironment
    ) throws -> BackupManifest {
        let createdAt = environment.now()
        let copy = file(Self.database)
        try DatabaseCopy.write(database, to: copy)
        let schema = try DatabaseCheck.run(at: copy)
        let (size, sha256) = try FileDigest.sha256(of: copy)
        let manifest = BackupManifest(
            createdAt: createdAt, version: PreludeSessionCommand.configuration.version, schema: schema,
            database: .init(file: Self.database, size: size, sha256: sha256),
            masterKeys: .init(file: Self.masterKeys, ids: masterKeys.map(\.id)),
            settings: settings == nil ? nil : Self.settings)
        let bytes = try manifest.encoded()
        let salt = Data(environment.randomBytes(SealedFile.saltLength))
        let cost = PassphraseKey.cost
        let key = try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost)
        let derivation = SealedFile.Derivation(passes: cost.passes, memory: cost.memory, salt: salt)
        for (name, content) in [(Self.masterKeys, try MasterKeyFormat.encode(masterKeys)), (Self.settings, settings)] {
            guard let content else { continue }
            let sealed = try SealedFile(sealing: content, key: key, derivation: derivation, manifest: bytes)
            try DurableFile.create(file(name), try sealed.encoded())
        }
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
        let (manifest, _) = try manifest()
        try manifest.check(supportedSchema: SQLiteStore.supportedSchema)
        let masterKeys = try masterKeys(passphrase: passphrase)
        let database = file(manifest.database.file)
        guard try FileDigest.sha256(of: database) == (manifest.database.size, manifest.database.sha256) else {
            throw ConfigurationError("backup", "\(database) was changed or is damaged: its SHA-256 is another one")
        }
        guard try DatabaseCheck.run(at: database) == manifest.schema else { throw BackupError.invalidManifest }
        return (manifest, database, masterKeys)
    }

    /// Opens the master keys alone.
    func masterKeys(passphrase: String) throws -> [MasterKey] {
        let name = try manifest().content.masterKeys.file
        let content = try open(name, passphrase: passphrase)
        return try MasterKeyFormat(setting: "backup", place: file(name)).decode(
            String(decoding: content, as: UTF8.self))
    }

    /// Opens the settings file.
    func settings(passphrase: String) throws -> Data {
        guard let name = try manifest().content.settings else {
            throw ConfigurationError("backup", "\(path) has no settings: the service had no settings file")
        }
        return try open(name, passphrase: passphrase)
    }

    private func open(_ name: String, passphrase: String) throws -> Data {
        guard let content = FileManager.default.contents(atPath: file(name)) else {
            throw ConfigurationError("backup", "\(file(name)) cannot be read")
        }
        let sealed = try SealedFile(content)
        // A changed file must not make the command use any amount of memory.
        guard let cost = try? Argon2Cost(passes: sealed.derivation.passes, memory: sealed.derivation.memory) else {
            throw BackupError.invalidSealedKeys
        }
        let key = try PassphraseKey.derive(from: passphrase, salt: sealed.derivation.salt, cost: cost)
        return try sealed.open(key: key, manifest: try manifest().bytes)
    }
}
