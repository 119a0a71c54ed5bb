import Foundation
import SessionDomain
import SessionTokens

/// The file with the master keys: made at the first start, readable by its owner only.
struct KeyFile {
    private struct Content: Codable {
        struct Key: Codable { let secret: String }
        let version: Int
        /// The current key first; older ones still open what they sealed.
        let keys: [Key]
    }

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
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard let content = try? JSONDecoder().decode(Content.self, from: data), content.version == 1 else {
            throw ConfigurationError("key-file", "\(path) is not a key file of this version")
        }
        let keys = try content.keys.map { key in
            guard let secret = Base64URL.decode(key.secret), secret.count == 32 else {
                throw ConfigurationError("key-file", "\(path) holds a key that is not 32 bytes in base64url")
            }
            return MasterKey(secret: secret)
        }
        guard let current = keys.first else { throw ConfigurationError("key-file", "\(path) holds no key") }
        return KeyRing(current: current, older: Array(keys.dropFirst()))
    }

    /// Writes a new random key. Never replaces a file: that would end every session.
    func create(environment: ServiceEnvironment) throws -> KeyRing {
        let secret = Data(environment.randomBytes(32))
        let content = Content(version: 1, keys: [.init(secret: Base64URL.encode(secret))])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(content)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            throw ConfigurationError("key-file", "cannot create \(path): \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.synchronize()
        try handle.close()
        return KeyRing(current: MasterKey(secret: secret))
    }
}
