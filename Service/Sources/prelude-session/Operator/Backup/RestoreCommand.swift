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
            let keys = try RestoredKeyFile(adding: backup.masterKeys, for: configuration)
            let replacement = try lock(database, configuration)
            defer { replacement.release() }
            let suffix = Self.unusedSuffix(of: [replacement.path, keys.path], at: ServiceEnvironment.live.now())
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
            let keys = try RestoredKeyFile(adding: backup, for: configuration)
            try BackupError.explained {
                try keys.write(keepingAs: Self.unusedSuffix(of: [keys.path], at: ServiceEnvironment.live.now()))
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
                What was ended after the backup is valid again: revoked sessions, revoked and rotated management keys \
                (prelude-session key list), suspended and deleted users, old passwords, deleted webhooks, and signing \
                keys that an emergency rotation removed: repeat it. To sign all users out: \
                prelude-session session revoke --all.
                """)
        }

        /// Returns a suffix under which no file is kept yet: `.replaced-20260101T120000Z`, then `.replaced-20260101T120000Z-2`.
        private static func unusedSuffix(of paths: [String], at time: Timestamp) -> String {
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
}
