import Foundation
import SessionDomain
import SessionSQLite

/// The file with the master keys. It is created at the first start, and only its owner can read it.
struct KeyFile {
    let path: String

    /// - Parameters:
    ///   - path: The configured path. `nil`: the path of the database with the suffix `.keys`.
    ///   - database: The path of the database.
    init(configured path: String?, database: String) {
        self.path = path ?? database + ".keys"
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func read() throws -> [MasterKey] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        guard permissions & 0o077 == 0 else {
            throw ConfigurationError("key-file", "other users can read \(path). Run: chmod 600 \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("key-file", "\(path) cannot be read. The user of the service must own it")
        }
        return try MasterKeyFormat(setting: "key-file", place: path).decode(String(decoding: data, as: UTF8.self))
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
