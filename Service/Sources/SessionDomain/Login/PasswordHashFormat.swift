internal import Foundation

/// Recognizes the hashes of passwords that other systems store, so that none is taken for a password.
///
/// A hash without a name, such as 64 hexadecimal digits, can be a password that a program made.
package enum PasswordHashFormat {
    /// What hashes begin with: crypt(5) and PHC strings, the formats of Django, and those of LDAP (RFC 2307 §5.3).
    private static let schemes = [
        "$1$", "$2a$", "$2b$", "$2x$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$argon2", "$scrypt$", "$pbkdf2",
        "argon2$", "bcrypt$", "bcrypt_sha256$", "pbkdf2_sha1$", "pbkdf2_sha256$", "scrypt$",
        "{SHA}", "{SSHA}", "{SHA256}", "{SSHA256}", "{SHA512}", "{SSHA512}", "{CRYPT}", "{BCRYPT}", "{ARGON2}",
    ]
    /// The shortest of these has a digest of 16 bytes.
    private static let shortest = 24

    package static func isHash(_ password: String) -> Bool {
        let text = password.utf8
        guard text.count >= shortest else { return false }
        return schemes.contains { text.starts(with: $0.utf8) }
    }

    /// Whether the name of a member means a hash, such as `password_hash`.
    package static func isNameOfHash(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["hash", "digest", "bcrypt", "argon2", "scrypt", "pbkdf2"].contains { name.contains($0) }
    }
}
