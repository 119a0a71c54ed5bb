import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

extension BackupCommand {
    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Delete old backups of a folder.",
            discussion: """
                Keeps the newest ones (--keep), and all that are younger than a number of days (--days), by the time in their \
                manifest. Only complete backups count and are deleted. Symbolic links, incomplete backups, backups with a time \
                in the future and other files stay. It compares no SHA-256: verify does that.
                """)

        @Argument(help: "The folder that contains the directories of backups.", completion: .directory)
        var folder: String

        @Option(help: "The number of backups to keep at least. 1 to 100000.")
        var keep = 7

        @Option(help: "Keep backups of this many days. 0 to 36500.")
        var days = 0

        @Flag(help: "Print what would be deleted, and delete nothing.")
        var dryRun = false

        func validate() throws {
            guard (1...100_000).contains(keep) else { throw ValidationError("--keep must be 1 to 100000") }
            guard (0...36_500).contains(days) else { throw ValidationError("--days must be 0 to 36500") }
        }

        func run() async throws {
            try EnvironmentVariables.check()
            let now = ServiceEnvironment.live.now()
            let backups = try completeBackups(at: now)
            for (backup, createdAt) in backups.dropFirst(keep) where createdAt < now - days * 86_400 {
                let stays = try dryRun ? backup.hasOtherFiles : !backup.delete()
                print(
                    "\(dryRun ? "would delete" : "deleted")  \(backup.path.escapedForTerminal)"
                        + (stays ? " (the directory stays, because it has other files)" : ""))
            }
        }

        /// Returns the backups that count, the newest first, and says on standard error which directories do not.
        private func completeBackups(at now: Timestamp) throws -> [(backup: StoredBackup, createdAt: Timestamp)] {
            let folder = BackupFolder(path: folder).path
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
                throw ConfigurationError("backup", "\(folder) cannot be read")
            }
            var backups: [(backup: StoredBackup, createdAt: Timestamp, keys: Set<String>)] = []
            // A directory that is mounted at two places of the folder is one backup.
            var identities: Set<StoredBackup.Identity> = []
            for name in names.sorted() {
                guard let backup = StoredBackup(at: folder + "/" + name),
                    identities.insert(backup.identity).inserted
                else { continue }
                switch backup.state {
                case .complete(let createdAt, _, _) where createdAt > now:
                    // It would be the newest one for years, and take the place of a real one.
                    note(backup, "the time in its manifest, \(createdAt.rfc3339), is in the future")
                case .complete(let createdAt, _, let keys): backups.append((backup, createdAt, keys))
                case .incomplete(let reason): note(backup, reason)
                case .other: continue
                }
            }
            return ofOneService(backups.sorted { ($0.createdAt, $0.backup.path) > ($1.createdAt, $1.backup.path) })
        }

        /// Leaves out backups of another service. Those of one service share master keys: at a rotation, the old key stays
        /// for a while.
        ///
        /// - Parameter backups: The newest first.
        private func ofOneService(
            _ backups: [(backup: StoredBackup, createdAt: Timestamp, keys: Set<String>)]
        ) -> [(backup: StoredBackup, createdAt: Timestamp)] {
            var known = backups.first?.keys ?? []
            return backups.compactMap { backup, createdAt, keys in
                guard !known.isDisjoint(with: keys) else {
                    note(backup, "it has other master keys than the newest one, as a backup of another service")
                    return nil
                }
                known.formUnion(keys)
                return (backup, createdAt)
            }
        }

        private func note(_ backup: StoredBackup, _ reason: String) {
            let text = "\(backup.path) stays and does not count: \(reason)".escapedForTerminal
            FileHandle.standardError.write(Data("\(text).\n".utf8))
        }
    }
}

/// What is appended to the path of a file that a command replaces and keeps.
enum KeptSuffix {
    /// Returns a suffix under which no file is kept yet: `.replaced-20260101T120000Z`, then `.replaced-20260101T120000Z-2`.
    static func unused(beside paths: [String], at time: Timestamp) -> String {
        let digits = time.rfc3339.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" && $0 != "Z" }
        let first = DatabaseReplacement.keptSuffix + "\(digits)Z"
        var (suffix, number) = (first, 1)
        while paths.contains(where: { DatabaseFile.exists(at: $0 + suffix) }) {
            number += 1
            suffix = first + "-\(number)"
        }
        return suffix
    }
}

/// A directory in a folder of backups, as `backup prune` finds it.
///
/// The command follows no symbolic link below the folder, and reaches the files through the descriptor of their
/// directory. So a link that takes the place of a directory cannot make it delete files elsewhere, such as the database
/// of the service.
struct StoredBackup {
    enum State: Equatable {
        /// - Parameters:
        ///   - files: The names of its files, that of the manifest last.
        ///   - keys: The ids of its master keys.
        case complete(createdAt: Timestamp, files: [String], keys: Set<String>)
        /// The directory has a manifest, and cannot be restored.
        case incomplete(reason: String)
        /// The directory has no manifest, or its name is that of a backup that was not completed.
        case other
    }

    /// A directory, whatever its path is.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    let path: String
    let identity: Identity
    let state: State

    /// Files that are larger are no manifest, and are not sealed with the passphrase.
    private static let maximumSize = 16 << 20

    /// - Returns: `nil` for what is no directory, such as a symbolic link, and for a directory that cannot be opened.
    init?(at path: String) {
        let found = Self.withDirectory(path) { (Self.identity(of: $0), Self.state(of: $0, at: path)) }
        guard let found, let identity = found.0 else { return nil }
        (self.path, self.identity, state) = (path, identity, found.1)
    }

    /// Whether the directory has files that are not those of the backup.
    var hasOtherFiles: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return !Set(names).isSubset(of: files)
    }

    private var files: [String] {
        guard case .complete(_, let files, _) = state else { return [] }
        return files
    }

    /// Deletes the files of the backup, and the directory if nothing else is in it.
    ///
    /// The database is the first one: a directory that a killed command leaves has the small files at most, and does not
    /// count.
    ///
    /// - Returns: Whether the directory is deleted. It stays if it has other files.
    func delete() throws -> Bool {
        let isSame = try Self.withDirectory(path) { directory in
            guard Self.identity(of: directory) == identity, Self.state(of: directory, at: path) == state else {
                return false
            }
            for name in files {
                guard unlinkat(directory, name, 0) == 0 || errno == ENOENT else { throw failure(errno) }
            }
            return true
        }
        guard isSame == true else {
            throw ConfigurationError("backup", "\(path) was changed while the command ran. Run it again")
        }
        guard rmdir(path) != 0 else { return true }
        let code = errno
        guard code == ENOTEMPTY || code == EEXIST else { throw failure(code) }
        return false
    }

    private func failure(_ code: Int32) -> ConfigurationError {
        ConfigurationError("backup", "cannot delete \(path): \(String(cString: strerror(code)))")
    }

    // MARK: Reading

    private static func withDirectory<Answer>(
        _ path: String, _ work: (_ directory: Int32) throws -> Answer
    ) rethrows -> Answer? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return try work(descriptor)
    }

    private static func identity(of directory: Int32) -> Identity? {
        var found = stat()
        guard fstat(directory, &found) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: found.st_dev), inode: UInt64(truncatingIfNeeded: found.st_ino))
    }

    private static func state(of directory: Int32, at path: String) -> State {
        guard !(path as NSString).lastPathComponent.contains(BackupFolder.partial),
            size(of: BackupFolder.manifest, in: directory) != nil
        else { return .other }
        guard let bytes = content(of: BackupFolder.manifest, in: directory), let manifest = try? BackupManifest(bytes),
            let createdAt = Timestamp(rfc3339: manifest.createdAt)
        else { return .incomplete(reason: "its manifest cannot be read") }
        // A manifest must not make the command delete a file that has another name.
        guard manifest.database.file == BackupFolder.database, manifest.masterKeys.file == BackupFolder.masterKeys,
            manifest.settings == nil || manifest.settings == BackupFolder.settings
        else { return .incomplete(reason: "its manifest names files that a backup does not have") }
        let sealed = [BackupFolder.masterKeys] + (manifest.settings.map { [$0] } ?? [])
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard !names.contains(where: { $0 != BackupFolder.database && $0.hasPrefix(BackupFolder.database) }) else {
            return .incomplete(reason: "a service uses its database, or has used it")
        }
        // The SHA-256 of large databases would take minutes. `backup verify` compares it.
        guard size(of: BackupFolder.database, in: directory) == manifest.database.size else {
            return .incomplete(reason: "\(BackupFolder.database) is missing, or its size is not that of the manifest")
        }
        for name in sealed {
            guard let bytes = content(of: name, in: directory), (try? SealedFile(bytes)) != nil else {
                return .incomplete(reason: "\(name) is missing or damaged")
            }
        }
        return .complete(
            createdAt: createdAt, files: [BackupFolder.database] + sealed + [BackupFolder.manifest],
            keys: Set(manifest.masterKeys.ids))
    }

    /// Returns the size of a regular file. A symbolic link is none.
    private static func size(of name: String, in directory: Int32) -> Int? {
        var found = stat()
        guard fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0, found.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(found.st_size)
    }

    private static func content(of name: String, in directory: Int32) -> Data? {
        guard let size = size(of: name, in: directory), size <= maximumSize else { return nil }
        // Without waiting, if a pipe has taken the place of the file.
        let descriptor = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return try? file.read(upToCount: maximumSize)
    }
}
