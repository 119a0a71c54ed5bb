import ArgumentParser
import Foundation
import SessionDomain
import SessionSQLite

/// `prelude-session backup`: copies database and master keys, and restores them.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Create, verify, restore and delete backups.",
        subcommands: [Create.self, Verify.self, Restore.self, Settings.self, Prune.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Write a backup of database, master keys and settings into a new directory, or to a command.",
            discussion: """
                The service may run and write meanwhile: the backup has the state of one moment. The master keys are \
                always included, wherever they come from, and are encrypted with the passphrase, as is the settings file. The \
                database is not encrypted. The directory appears when it is complete. With --to, the command gets the \
                directory as a tar archive on its standard input, and the directory is deleted afterwards.
                """)

        @Argument(help: "The directory of the backup. It must not exist.", completion: .directory)
        var directory: String

        @Option(help: "A shell command that gets the backup as a tar archive, such as 'restic backup --stdin'.")
        var to: String?

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
                        database: database, masterKeys: keys, settings: try configuration.settings.fileContent(),
                        passphrase: passphrase, environment: service.environment)
                }
                if let to { try folder.send(to: to) }
                try options.show(manifest.record(at: to ?? folder.path))
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
            for (name, value) in manifest.record(at: folder.path) + [("result", .text("valid"))] {
                print(name.padding(toLength: 13, withPad: " ", startingAt: 0) + value.text)
            }
        }
    }

    struct Settings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settings",
            abstract: "Print the settings file of a backup.",
            discussion: "It can contain secrets: write it to a file of mode 0600. Needs nothing of the service.")

        @Argument(help: "The directory of the backup.", completion: .directory)
        var directory: String

        @OptionGroup var passphrase: BackupPassphrase

        func run() async throws {
            try EnvironmentVariables.check()
            let passphrase = try passphrase.read()
            let content = try BackupError.explained {
                try BackupFolder(path: directory).settings(passphrase: passphrase)
            }
            FileHandle.standardOutput.write(content)
        }
    }
}

extension BackupManifest {
    fileprivate func record(at path: String) -> Record {
        [
            ("backup", .text(path)), ("created", .text(createdAt)), ("version", .text(version)),
            ("schema", .number(schema)), ("bytes", .number(database.size)), ("sha256", .text(database.sha256)),
            ("master keys", .list(masterKeys.ids)),
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
