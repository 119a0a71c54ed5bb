import Foundation
import SessionDomain

/// The file with the master keys: made at the first start, readable by its owner only.
struct KeyFile {
    let path: String

    /// Beside the database, with the ending `.keys`.
    init(configured path: String?, database: String) {
        self.path = path ?? database + ".keys"
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func read() throws -> KeyRing {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        guard permissions & 0o077 == 0 else {
            throw ConfigurationError("key-file", "\(path) can be read by others; run: chmod 600 \(path)")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("key-file", "\(path) cannot be read; make it a file of the user of the service")
        }
        return try MasterKeyText(String(decoding: data, as: UTF8.self), setting: "key-file", place: path).ring()
    }

    /// Writes a new random key. Never replaces a file: that would end every session.
    func create(environment: ServiceEnvironment) throws -> KeyRing {
        let secret = Data(environment.randomBytes(32))
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            throw ConfigurationError("key-file", "cannot create \(path): \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: try MasterKeyText.json(secret))
        try handle.synchronize()
        try handle.close()
        return KeyRing(current: MasterKey(secret: secret))
    }
}
