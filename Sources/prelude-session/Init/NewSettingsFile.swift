import Foundation
import SessionDomain
import SessionSQLite

/// A settings file that appears complete, and never replaces another file.
struct NewSettingsFile {
    let path: String

    /// - Throws: `ConfigurationError` if there is a file.
    func checkIsNew() throws {
        guard !DatabaseFile.exists(at: path) else { throw exists }
    }

    /// Creates the file with mode 0600. As root, it belongs to the owner of the folder.
    func create(_ text: String) throws {
        let partial = "\(path).new-\(getpid())"
        do {
            try DurableFile.remove(partial)
            try DurableFile.create(partial, Data(text.utf8), owner: FileOwner(beside: path))
            defer { try? DurableFile.remove(partial) }
            // Unlike a rename, a second name never replaces a file.
            do {
                try DurableFile.link(partial, as: path)
            } catch {
                throw DatabaseFile.exists(at: path) ? exists : error
            }
            try DurableFile.sync((path as NSString).deletingLastPathComponent)
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("config", "\(reason). Create the folder, and make this user its owner")
        }
    }

    func remove() { try? DurableFile.remove(path) }

    private var exists: ConfigurationError {
        ConfigurationError(
            "config", "\(path) exists already, and is not overwritten. Name another file, or move this one")
    }
}
