import Foundation
import SessionDomain
import SessionSQLite

/// A settings file that appears complete, and never replaces another file.
struct NewSettingsFile {
    let path: String

    private var partial: String { "\(path).new-\(getpid())" }

    /// - Throws: `ValidationProblem` if there is a file, or no folder for it.
    func checkIsNew() throws {
        guard !DatabaseFile.exists(at: path) else { throw ValidationProblem(exists) }
        if let problem = WritableFolder(of: path).problem { throw ValidationProblem(problem) }
    }

    /// Checks that this user can create files beside the path.
    func checkFolder() throws {
        try naming {
            try DurableFile.remove(partial)
            try DurableFile.create(partial, Data())
            try DurableFile.remove(partial)
        }
    }

    /// Creates the file with mode 0600. As root, it belongs to the owner of the folder.
    func create(_ text: String) throws {
        try naming {
            try DurableFile.remove(partial)
            try DurableFile.create(partial, Data(text.utf8), owner: FileOwner(beside: path))
            defer { try? DurableFile.remove(partial) }
            // Unlike a rename, a second name never replaces a file.
            do {
                try DurableFile.link(partial, as: path)
            } catch {
                throw DatabaseFile.exists(at: path) ? ConfigurationError("--config", exists) : error
            }
            try DurableFile.sync((path as NSString).deletingLastPathComponent)
        }
    }

    /// Names the flag in errors of the file system.
    private func naming(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("--config", reason)
        }
    }

    private var exists: String {
        "\(path) exists already, and is not overwritten. Name another file, or move this one"
    }
}
