import ArgumentParser
import Foundation

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
            $PRELUDE_SESSION_BACKUP_PASSPHRASE_FILE or $PRELUDE_SESSION_BACKUP_PASSPHRASE, else the systemd credential prelude-session-backup-passphrase, else a \
            prompt)
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
