import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

extension BackupCommand {
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Replace the database by that of a backup. The service must be stopped.",
            discussion: """
                Checks the backup first, as verify does. The replaced database is kept beside the new one, under a name \
                with the time. Master keys of the backup that are missing are added to the key file; its other keys stay. \
                A damaged key file is kept beside a new one. A symbolic link to the key file stays: its target is replaced. \
                With master keys from the environment or a credential, nothing is written: the command checks that they \
                contain those of the backup.
                """)

        @Argument(help: "The directory of the backup.", completion: .directory)
        var directory: String

        @Flag(help: "Write only the master keys, and leave the database as it is.")
        var keysOnly = false

        @OptionGroup var passphrase: BackupPassphrase
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let configuration = try options.configuration()
            guard !keysOnly else { return try restoreKeys(configuration) }
            guard case .file(let database) = configuration.database else {
                throw ConfigurationError("database", "must be a file")
            }
            let folder = BackupFolder(path: directory)
            let backup = try BackupError.explained { try folder.open(passphrase: try passphrase.read()) }
            var keys = try RestoredKeyFile(adding: backup.masterKeys, for: configuration)
            let replacement = try lock(database, configuration)
            defer { replacement.release() }
            let suffix = KeptSuffix.unused(beside: [replacement.path, keys.path], at: ServiceEnvironment.live.now())
            let kept = replacement.path + suffix
            let replaces = DatabaseFile.exists(at: replacement.path)
            try BackupError.explained {
                let copy = try Self.copy(backup.database, of: backup.manifest, beside: replacement.path)
                // First the keys: the old database can be used with them, too, if the command is killed here.
                try keys.write(keepingAs: suffix)
                try replacement.replace(with: copy, keeping: kept)
            }
            report(backup.manifest, configuration, kept: replaces ? kept : nil, keys: keys)
        }

        private func restoreKeys(_ configuration: ServiceConfiguration) throws {
            let passphrase = try passphrase.read()
            let backup = try BackupError.explained {
                try BackupFolder(path: directory).masterKeys(passphrase: passphrase)
            }
            var keys = try RestoredKeyFile(adding: backup, for: configuration)
            try BackupError.explained {
                try keys.write(keepingAs: KeptSuffix.unused(beside: [keys.path], at: ServiceEnvironment.live.now()))
            }
            print(keys.report)
        }

        private func lock(_ database: String, _ configuration: ServiceConfiguration) throws -> DatabaseReplacement {
            do {
                return try DatabaseReplacement(of: database)
            } catch StoreError.inUse {
                throw ConfigurationError(
                    "database",
                    "\(configuration.database.fullPath) is in use. Stop the service on all nodes, and all commands")
            } catch let error as StoreError {
                throw ConfigurationError(error, opening: configuration.database, from: configuration.databaseSource)
            }
        }

        /// Copies the database into the file system of the replaced one, and compares what was written.
        private static func copy(_ backup: String, of manifest: BackupManifest, beside path: String) throws -> String {
            let copy = path + ".restoring"
            // A file of a restore that was killed.
            try DurableFile.remove(copy)
            try DurableFile.copy(backup, to: copy, owner: FileOwner(beside: path))
            guard try FileDigest.sha256(of: copy) == (manifest.database.size, manifest.database.sha256) else {
                throw ConfigurationError("backup", "\(copy) is not the database of the backup. Check the disk")
            }
            return copy
        }

        private func report(
            _ manifest: BackupManifest, _ configuration: ServiceConfiguration, kept: String?, keys: RestoredKeyFile
        ) {
            print("Restored \(configuration.database.fullPath) from the backup of \(manifest.createdAt).")
            if let kept { print("The replaced database is \(kept). Delete it when you do not need it any more.") }
            print(keys.report)
            print(
                """
                What was ended after the backup is valid again: revoked sessions, deleted passkeys, revoked and rotated \
                management keys (prelude-session key list), suspended and deleted users, old passwords, deleted \
                webhooks, and signing keys that an emergency rotation removed: repeat it. To sign all users out: \
                prelude-session session revoke --all.
                """)
        }
    }
}

/// The place of the master keys during a restore. Only a key file is written.
private struct RestoredKeyFile {
    private let source: MasterKeySource
    /// The path without symbolic links, and the new content. `nil`: the place has all keys of the backup.
    private let change: (path: String, keys: [MasterKey])?
    /// What is wrong with the key file that is replaced.
    private let damage: ConfigurationError?
    /// The path under which the replaced key file was kept.
    private var kept: String?

    /// Decides what to write.
    ///
    /// - Throws: `ConfigurationError` when keys are missing in a place that a command cannot write.
    init(adding backup: [MasterKey], for configuration: ServiceConfiguration) throws {
        guard let source = try MasterKeySource.find(for: configuration) else {
            throw ConfigurationError("database", "must be a file")
        }
        let file = try ReplaceableKeyFile(source)
        // A damaged file has no keys. It is kept, so nothing that it may still have is lost.
        let existing = try file?.keys ?? source.read() ?? []
        let missing = RestoredMasterKeys.missing(in: existing, of: backup)
        self.source = source
        damage = file?.damage
        guard !missing.isEmpty else {
            change = nil
            return
        }
        guard let file else {
            throw ConfigurationError(
                "master keys",
                "\(source.name) lacks \(missing.map(\.id).joined(separator: ", ")) of the backup. A command cannot add it "
                    + "there. Remove that setting, and name a file with --key-file: the keys of the backup are written to "
                    + "it. Then give the service these keys")
        }
        change = (try file.target(), RestoredMasterKeys.merge(existing: existing, backup: backup))
    }

    /// Writes the key file, beside it first. An existing one is kept under its path and the suffix.
    mutating func write(keepingAs suffix: String) throws {
        guard let (path, keys) = change else { return }
        kept = try ReplaceableKeyFile.write(keys, to: path, keepingAs: suffix)
    }

    /// The path that is written or would be.
    var path: String { change?.path ?? source.name }

    /// What happened to the keys, for operators.
    var report: String {
        guard let change else { return "The master keys in \(source.name) include those of the backup." }
        guard damage != nil, let kept else {
            return "Wrote the master keys to \(change.path): those that it had, then those of the backup."
        }
        return """
            Wrote the master keys to \(change.path): those of the backup. That file was damaged, and is kept as \(kept). If it \
            still has a key, add it behind those of the backup.
            """
    }
}

/// The key file for a command that repairs it: it can be missing, damaged, or a symbolic link.
struct ReplaceableKeyFile {
    /// Its keys. None if it is missing or damaged.
    let keys: [MasterKey]
    /// What is wrong with its content. `nil` if it is missing, or has keys.
    let damage: ConfigurationError?
    /// Whether a damaged file still has a text of the size of a key.
    let mayHaveKeys: Bool

    private let path: String

    /// - Returns: `nil` for another place of master keys, which a command cannot write.
    /// - Throws: `ConfigurationError` for a file that this user cannot read, or that other users can read. It can have
    ///   keys, so it must not be replaced.
    init?(_ source: MasterKeySource) throws {
        guard case .file(let file) = source else { return nil }
        let content = try Self.read(file)
        path = file.path
        keys = content.keys
        damage = content.damage
        mayHaveKeys = content.mayHaveKeys
    }

    private static func read(
        _ file: KeyFile
    ) throws -> (keys: [MasterKey], damage: ConfigurationError?, mayHaveKeys: Bool) {
        do {
            return (try file.read() ?? [], nil, false)
        } catch let error as ConfigurationError {
            guard let content = try? ReadableFile(path: file.path).read(), content.permissions & 0o077 == 0 else {
                throw error
            }
            if let other = otherKind(content.content) {
                throw ConfigurationError("key-file", "\(file.path) is \(other), and no key file. Name the right path")
            }
            return ([], error, mayHaveKey(content.content))
        }
    }

    /// What a file is that was named by mistake. Its place must not be taken.
    private static func otherKind(_ content: Data) -> String? {
        if content.starts(with: Data("SQLite format 3".utf8)) { return "a database" }
        if (try? SealedFile(content)) != nil { return "a sealed file of a backup" }
        return content.count > maximumSize ? "a file of \(content.count) bytes" : nil
    }

    private static let maximumSize = 65_536

    /// Whether a file is large enough for the 32 bytes of a key, in whatever form an editor has left it. A damaged file is no
    /// source of keys itself: a hash or an id that is public looks like one. Some bytes of a key can be blanks.
    private static func mayHaveKey(_ content: Data) -> Bool {
        content.count { ![0x00, 0x09, 0x0A, 0x0D, 0x20].contains($0) } >= 28
    }

    /// Returns the path of the file without symbolic links.
    ///
    /// The target of a link is replaced, and the link stays. It says where the operator wants the secret, such as an
    /// encrypted disk. A file in place of the link would put the keys on another disk, and other programs that use the
    /// target, such as a backup, would still read the old ones.
    ///
    /// - Throws: `ConfigurationError` for a link without a target, whose disk may not be mounted, and for a link of
    ///   another user if the process is root's.
    func target() throws -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType != .typeSymbolicLink || DatabaseFile.exists(at: path) else {
            throw ConfigurationError(
                "key-file",
                "\(path) is a symbolic link, and the file that it names does not exist. Mount its disk, or delete the link"
            )
        }
        do {
            return try DatabaseFile.resolved(path)
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("key-file", reason)
        }
    }

    /// Writes a key file beside its path first, and renames it. An existing one is kept under its path and the suffix.
    ///
    /// - Parameter path: The path without symbolic links.
    /// - Returns: The path of the file that was kept.
    static func write(_ keys: [MasterKey], to path: String, keepingAs suffix: String) throws -> String? {
        let partial = path + ".restoring"
        try DurableFile.remove(partial)
        try DurableFile.create(partial, try MasterKeyFormat.encode(keys), owner: FileOwner(beside: path))
        let replaces = DatabaseFile.exists(at: path)
        if replaces { try DurableFile.link(path, as: path + suffix) }
        try DurableFile.move(partial, to: path)
        return replaces ? path + suffix : nil
    }
}
