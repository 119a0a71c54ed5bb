internal import CSodium
package import Foundation
internal import SessionDomain

/// The hash functions, which run on the calling thread. Tests replace those of libsodium.
struct Argon2Engine: Sendable {
    var hash: @Sendable (_ password: [CChar], Argon2Cost) throws(Argon2Error) -> String
    var verify: @Sendable (_ password: [CChar], _ hash: String) throws(Argon2Error) -> Bool
    /// Returns a hash of no password, which takes as long to verify as any other one of that cost.
    var dummy: @Sendable (Argon2Cost) throws(Argon2Error) -> String = sodiumDummy

    /// - Throws: `Argon2Error.libraryUnusable` when libsodium fails to initialize.
    static func sodium() throws(Argon2Error) -> Argon2Engine {
        // 1 means that it is already initialized.
        guard sodium_init() >= 0 else { throw .libraryUnusable }
        return Argon2Engine(hash: sodiumHash, verify: sodiumVerify)
    }

    @Sendable private static func sodiumHash(_ password: [CChar], _ cost: Argon2Cost) throws(Argon2Error) -> String {
        var output = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let status = crypto_pwhash_str_alg(
            &output, password, UInt64(password.count), UInt64(cost.passes), cost.memory * 1024,
            crypto_pwhash_alg_argon2id13())
        guard status == 0 else { throw .outOfMemory(kibibytes: cost.memory) }
        return String(decoding: output.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A hash of this cost with a random salt and random bytes in place of the result. Computing a real one would take a
    /// third of the time that the service needs to start.
    ///
    /// - Throws: `.outOfMemory` when the process may not have the memory of one hash.
    @Sendable static func sodiumDummy(_ cost: Argon2Cost) throws(Argon2Error) -> String {
        guard let memory = malloc(cost.memory * 1024) else { throw .outOfMemory(kibibytes: cost.memory) }
        free(memory)
        return "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=1$\(randomText(16))$\(randomText(32))"
    }

    /// Random bytes in base64 without padding, as the PHC string format has them.
    private static func randomText(_ count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return Data(bytes).base64EncodedString().filter { $0 != "=" }
    }

    /// - Throws: `.outOfMemory` when the process does not get the memory. A right password must not seem wrong then.
    @Sendable private static func sodiumVerify(_ password: [CChar], _ hash: String) throws(Argon2Error) -> Bool {
        guard crypto_pwhash_str_verify(hash, password, UInt64(password.count)) != 0 else { return true }
        // libsodium returns the same for both. Without memory it returns at once, so there is none now, either.
        if let memory = PHCString(hash)?.cost.memory, !canMap(kibibytes: memory) {
            throw .outOfMemory(kibibytes: memory)
        }
        return false
    }

    /// Whether the process may map that much memory now, as libsodium does it for a hash. It is not used.
    private static func canMap(kibibytes: Int) -> Bool {
        let bytes = kibibytes * 1024
        let start = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let start, start != MAP_FAILED else { return false }
        munmap(start, bytes)
        return true
    }
}

/// An error of the hash functions. `HashingQueue` reports overload with `Refusal.overloaded` instead.
package enum Argon2Error: Error, Equatable, CustomStringConvertible {
    case libraryUnusable
    case outOfMemory(kibibytes: Int)
    case noThread

    package var description: String {
        switch self {
        case .libraryUnusable: "libsodium cannot be used: sodium_init failed. Check the installation of libsodium"
        case .outOfMemory(let kibibytes):
            "not enough memory for a password hash of \(kibibytes) KiB. Give the service more memory"
        case .noThread:
            "no thread for a password hash. Allow the service more threads (TasksMax, pids.max, ulimit -u) or more memory"
        }
    }
}

/// The parameters of a stored Argon2id hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
struct PHCString: Equatable {
    let cost: Argon2Cost
    /// Lanes (`p`).
    let lanes: Int

    /// Returns `nil` for any other scheme, version or format.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            !parts[4].isEmpty, !parts[5].isEmpty
        else { return nil }
        let parameters = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3, let memory = Self.value("m", parameters[0]),
            let passes = Self.value("t", parameters[1]), let lanes = Self.value("p", parameters[2])
        else { return nil }
        cost = Argon2Cost(uncheckedPasses: passes, memory: memory)
        self.lanes = lanes
    }

    private static func value(_ name: String, _ parameter: Substring) -> Int? {
        let prefix = name + "="
        guard parameter.hasPrefix(prefix) else { return nil }
        let digits = parameter.dropFirst(prefix.count)
        guard let value = UInt32(digits), value > 0, String(value) == digits else { return nil }
        return Int(value)
    }
}

/// Derives a key from a passphrase with Argon2id (RFC 9106), for data that is encrypted and taken elsewhere.
package enum PassphraseKey {
    /// 3 passes over 256 MiB: the thief of a backup has any time to guess, and a person waits once.
    package static let cost = Argon2Cost(uncheckedPasses: 3, memory: 256 * 1024)

    /// Returns 256 bits. Runs on the calling thread, for about a second with `cost`.
    ///
    /// - Parameters:
    ///   - passphrase: Is normalized like a password, so that another keyboard gives the same key.
    ///   - salt: `SealedFile.saltLength` random bytes.
    package static func derive(from passphrase: String, salt: Data, cost: Argon2Cost) throws(Argon2Error) -> Data {
        guard sodium_init() >= 0 else { throw .libraryUnusable }
        precondition(salt.count == crypto_pwhash_saltbytes(), "a salt has 16 bytes")
        let characters = Argon2PasswordHasher.normalized(passphrase)
        var key = [UInt8](repeating: 0, count: 32)
        let status = crypto_pwhash(
            &key, UInt64(key.count), characters, UInt64(characters.count), [UInt8](salt), UInt64(cost.passes),
            cost.memory * 1024, crypto_pwhash_alg_argon2id13())
        guard status == 0 else { throw .outOfMemory(kibibytes: cost.memory) }
        return Data(key)
    }
}
