internal import CSodium
package import Foundation
internal import SessionDomain

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
