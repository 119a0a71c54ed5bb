import Foundation
import SessionDomain
import SessionSQLite

/// The place of the master keys during a restore. Only a key file is written.
struct RestoredKeyFile {
    private let source: MasterKeySource
    /// The path and the new content. `nil`: the place has all keys of the backup.
    private let change: (path: String, keys: [MasterKey])?

    /// Decides what to write.
    ///
    /// - Throws: `ConfigurationError` when keys are missing in a place that a command cannot write.
    init(adding backup: [MasterKey], for configuration: ServiceConfiguration) throws {
        guard let source = try MasterKeySource.find(for: configuration) else {
            throw ConfigurationError("database", "must be a file")
        }
        let existing = try source.read() ?? []
        let missing = RestoredMasterKeys.missing(in: existing, of: backup)
        self.source = source
        guard !missing.isEmpty else {
            change = nil
            return
        }
        guard case .file(let file) = source else {
            throw ConfigurationError(
                "master keys",
                "\(source.name) lacks \(missing.map(\.id).joined(separator: ", ")) of the backup. A command cannot add it "
                    + "there. Remove that setting, and name a file with --key-file: the keys of the backup are written to "
                    + "it. Then give the service these keys")
        }
        change = (file.path, RestoredMasterKeys.merge(existing: existing, backup: backup))
    }

    /// Writes the key file, beside it first. An existing one is kept under its path and the suffix.
    func write(keepingAs suffix: String) throws {
        guard let (path, keys) = change else { return }
        let partial = path + ".restoring"
        try DurableFile.remove(partial)
        try DurableFile.create(partial, try MasterKeyFormat.encode(keys), owner: FileOwner(beside: path))
        if FileManager.default.fileExists(atPath: path) { try DurableFile.link(path, as: path + suffix) }
        try DurableFile.move(partial, to: path)
    }

    /// The path that is written or would be.
    var path: String { change?.path ?? source.name }

    /// What happened to the keys, for operators.
    var report: String {
        guard let change else { return "The master keys in \(source.name) include those of the backup." }
        return "Wrote the master keys to \(change.path): those that it had, then those of the backup."
    }
}
