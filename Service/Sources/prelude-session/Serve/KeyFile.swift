import Foundation
import SessionDomain
import SessionSQLite

/// The file with the master keys. It is created at the first start, and only its owner can read it.
struct KeyFile {
    let path: String

    init(path: String) { self.path = path }

    /// The file of an embedded database whose settings name no other one: its path with the suffix `.keys`.
    init(besideDatabase path: String) { self.path = path + ".keys" }

    /// Returns `nil` if the file does not exist.
    func read() throws -> [MasterKey]? {
        let file: (content: Data, permissions: Int)
        do {
            file = try ReadableFile(path: path).read()
        } catch .missing {
            return nil
        } catch {
            throw ConfigurationError("key-file", error.problem(of: path, ifMissing: ""))
        }
        guard file.permissions & 0o077 == 0 else {
            throw ConfigurationError("key-file", "other users can read \(path). Run: chmod 600 \(path)")
        }
        return try MasterKeyFormat(setting: "key-file", place: path).decode(file.content)
    }

    /// Creates the file with a new random key. Never replaces an existing file, which would end every session.
    func create(environment: ServiceEnvironment) throws -> [MasterKey] {
        let keys = [MasterKey(secret: Data(environment.randomBytes(32)))]
        do {
            try DurableFile.create(path, try MasterKeyFormat.encode(keys), owner: FileOwner(beside: path))
        } catch StoreError.unavailable(let reason) {
            throw ConfigurationError("key-file", reason)
        }
        return keys
    }
}
