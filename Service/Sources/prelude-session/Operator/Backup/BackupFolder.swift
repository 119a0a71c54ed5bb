import ArgumentParser
import Crypto
import Foundation
import SessionArgon2
import SessionDomain
import SessionSQLite
import SessionTokens

/// The directory of a backup: the database, the sealed master keys, and the manifest.
struct BackupFolder {
    static let database = "session.sqlite"
    static let masterKeys = "master-keys.sealed"
    static let settings = "settings.sealed"
    static let manifest = "manifest.json"
    /// What the name of a directory has while it is written.
    static let partial = ".partial-"

    let path: String

    /// - Parameter path: A path as a shell completes it, with a slash at its end, names the same directory. Files beside
    ///   it are named after it, so the slash is removed, and so is a dot behind it.
    init(path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        self.path = path
    }

    private func file(_ name: String) -> String { path + "/" + name }

    // MARK: Writing

    func checkIsNew() throws {
        guard !path.isEmpty, (path as NSString).lastPathComponent != ".." else {
            throw ConfigurationError("backup", "\(path.isEmpty ? "the path is empty" : path). Name a new directory")
        }
        // A symbolic link exists, too, if the file that it names does not.
        guard (try? FileManager.default.attributesOfItem(atPath: path)) == nil else {
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
        let partial = BackupFolder(path: path + Self.partial + suffix)
        guard mkdir(partial.path, 0o700) == 0 else {
            throw ConfigurationError("backup", "cannot create \(partial.path): \(String(cString: strerror(errno)))")
        }
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

extension BackupFolder {
    /// Gives the backup to a shell command, as a tar archive on its standard input, and deletes it.
    ///
    /// - Throws: `ConfigurationError` if `tar` or the command fails. The directory stays then.
    func send(to command: String) throws {
        let url = URL(fileURLWithPath: path)
        let archive = Pipe()
        let tar = Self.process(
            "tar", ["--create", "--directory", url.deletingLastPathComponent().path, "--", url.lastPathComponent])
        tar.standardOutput = archive
        let receiver = Self.process("sh", ["-c", command])
        receiver.standardInput = archive
        // Standard output has what this command prints.
        receiver.standardOutput = FileHandle.standardError
        do {
            try receiver.run()
            try tar.run()
        } catch {
            throw ConfigurationError("to", "\(error). The backup is in \(path)")
        }
        // Without these, the command waits for the end of an archive that this process keeps open.
        try? archive.fileHandleForWriting.close()
        try? archive.fileHandleForReading.close()
        tar.waitUntilExit()
        receiver.waitUntilExit()
        guard tar.terminationStatus == 0, receiver.terminationStatus == 0 else {
            throw ConfigurationError(
                "to",
                "the command failed (exit codes: tar \(tar.terminationStatus), command \(receiver.terminationStatus)). "
                    + "The backup is in \(path)")
        }
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw ConfigurationError("to", "the command has the backup, but \(path) cannot be deleted. Delete it")
        }
    }

    private static func process(_ name: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        // Secrets of the service are not for other programs.
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix(EnvironmentVariables.prefix)
        }
        return process
    }
}

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
        do {
            while let block = try handle.read(upToCount: 1 << 20), !block.isEmpty {
                digest.update(data: block)
                size += block.count
            }
        } catch {
            // Such as a directory in place of the file.
            throw ConfigurationError(setting, "\(path) cannot be read")
        }
        return (size, Base64URL.encode(digest.finalize()))
    }
}

/// The passphrase that encrypts the master keys in a backup. It is never an argument, because other processes can read
/// those.
struct BackupPassphrase: ParsableArguments {
    static let variable = "PRELUDE_SESSION_BACKUP_PASSPHRASE"
    static let fileVariable = variable + "_FILE"
    static let credentialName = "prelude-session-backup-passphrase"
    /// Characters of a new passphrase. The thief of a backup can guess without a limit.
    private static let minimumLength = 12

    @Option(
        help: """
            A file with the passphrase, readable by its owner only. (default: \
            $PRELUDE_SESSION_BACKUP_PASSPHRASE_FILE or $PRELUDE_SESSION_BACKUP_PASSPHRASE, else the systemd credential \
            prelude-session-backup-passphrase, else a prompt)
            """, completion: .file())
    var passphraseFile: String?

    /// Reads the passphrase from the first configured place. Asks without echo if there is none.
    func read() throws -> String { try configured() ?? PasswordInput.read(prompt: "Passphrase of the backup: ") }

    /// Reads the passphrase, and asks twice on a terminal.
    func forNewBackup() throws -> String {
        let configured = try configured()
        let passphrase = try configured ?? PasswordInput.read(prompt: "Passphrase for the backup: ")
        guard passphrase.count >= Self.minimumLength else {
            throw ConfigurationError("passphrase", "needs at least \(Self.minimumLength) characters")
        }
        if configured == nil, isatty(STDIN_FILENO) == 1 {
            guard try PasswordInput.read(prompt: "Again: ") == passphrase else {
                throw ConfigurationError("passphrase", "was not the same both times")
            }
        }
        return passphrase
    }

    private func configured() throws -> String? {
        let environment = ProcessInfo.processInfo.environment
        if let passphraseFile {
            let attributes = try? FileManager.default.attributesOfItem(atPath: passphraseFile)
            let permissions = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
            guard permissions & 0o077 == 0 else {
                throw ConfigurationError(
                    "passphrase-file", "other users can read \(passphraseFile). Run: chmod 600 \(passphraseFile)")
            }
            return try content(of: passphraseFile, "passphrase-file")
        }
        if let path = environment[Self.fileVariable] {
            guard environment[Self.variable] == nil else {
                throw ConfigurationError(Self.fileVariable, "is set, and \(Self.variable), too. Remove one of them")
            }
            return try content(of: path, Self.fileVariable)
        }
        if let value = environment[Self.variable] {
            guard !value.isEmpty else { throw ConfigurationError(Self.variable, "is empty") }
            return value
        }
        guard let directory = environment["CREDENTIALS_DIRECTORY"] else { return nil }
        let path = directory + "/" + Self.credentialName
        return FileManager.default.fileExists(atPath: path) ? try content(of: path, Self.credentialName) : nil
    }

    /// Returns the first line of a file.
    private func content(of path: String, _ setting: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            let obstacle = ReadableFile(path: path).obstacle ?? .notAFile
            throw ConfigurationError(setting, obstacle.problem(of: path, ifMissing: ""))
        }
        let text = String(decoding: data, as: UTF8.self)
        guard let line = text.split(whereSeparator: \.isNewline).first else {
            throw ConfigurationError(setting, "\(path) is empty")
        }
        return String(line)
    }
}
