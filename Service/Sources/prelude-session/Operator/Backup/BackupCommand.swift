import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

/// `prelude-session backup`: copies database and master keys, and restores them.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Create, verify and restore backups.",
        subcommands: [Create.self, Verify.self, Restore.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Write a backup of database and master keys into a new directory.",
            discussion: """
                The service may run and write meanwhile: the backup has the state of one moment. The master keys are \
                always included, wherever they come from, and are encrypted with the passphrase. The database is not \
                encrypted. The directory appears when it is complete.
                """)

        @Argument(help: "The directory of the backup. It must not exist.", completion: .directory)
        var directory: String

        @OptionGroup var passphrase: BackupPassphrase
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let folder = BackupFolder(path: directory)
            try folder.checkIsNew()
            let passphrase = try passphrase.forNewBackup()
            let configuration = try options.shared.configuration()
            try await options.withService { service in
                guard case .file(let database) = configuration.database,
                    let source = try MasterKeySource.find(for: configuration)
                else { throw Self.isNotEmbedded }
                guard let keys = try source.read() else { throw source.isMissing }
                // With other keys, the backup could be restored, and not served.
                let missing = try await service.store.sealingKeyIDs().subtracting(keys.map(\.id))
                guard missing.isEmpty else { throw source.lacks(missing) }
                let manifest = try BackupError.explained {
                    try folder.write(
                        database: database, masterKeys: keys, passphrase: passphrase, environment: service.environment)
                }
                try options.show(manifest.record(at: directory))
            }
        }

        private static var isNotEmbedded: ConfigurationError {
            ConfigurationError(
                "database",
                "this command copies an embedded database. Back up PostgreSQL with its own tools, such as pg_dump or "
                    + "pg_basebackup, and the master keys apart from it")
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Check a backup: its files, the structure of the database, and the passphrase.",
            discussion: "Needs neither the database nor the master keys of the service, and changes nothing.")

        @Argument(help: "The directory of the backup.", completion: .directory)
        var directory: String

        @OptionGroup var passphrase: BackupPassphrase

        func run() async throws {
            try EnvironmentVariables.check()
            let folder = BackupFolder(path: directory)
            let manifest = try folder.manifest().content
            let passphrase = try passphrase.read()
            _ = try BackupError.explained { try folder.open(passphrase: passphrase) }
            for (name, value) in manifest.record(at: directory) + [("result", "valid")] {
                print(name.padding(toLength: 13, withPad: " ", startingAt: 0) + value)
            }
        }
    }
}

extension BackupManifest {
    fileprivate func record(at path: String) -> [(name: String, value: String)] {
        [
            ("backup", path), ("created", createdAt), ("version", version), ("schema", String(schema)),
            ("bytes", String(database.size)), ("sha256", database.sha256),
            ("master keys", masterKeys.ids.joined(separator: ", ")),
        ]
    }
}

extension BackupError {
    /// Runs work on files and turns its failures into errors for operators.
    static func explained<Answer>(_ work: () throws -> Answer) throws -> Answer {
        do {
            return try work()
        } catch let error as BackupError {
            throw ConfigurationError("backup", error.description)
        } catch StoreError.damaged(let finding) {
            throw ConfigurationError("backup", "the database in it is damaged: \(finding)")
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("backup", reason)
        }
    }
}
