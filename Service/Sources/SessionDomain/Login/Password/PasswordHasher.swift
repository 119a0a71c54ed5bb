internal import Foundation

/// Hashes and checks passwords, at a cost that makes guessing expensive.
///
/// The number of callers is bounded. A caller gets a slot first, so that a full queue is reported before the caller
/// counts or changes anything.
package protocol PasswordHasher: Sendable {
    /// Returns a slot in the queue for one caller of an app. No app can take all of three or more slots.
    ///
    /// - Throws: `Refusal.overloaded` if no slot is free for this app.
    func admit(app: AppID) throws -> HashingSlot
}

extension PasswordHasher {
    /// Returns a new salted hash. For callers that count nothing before.
    func hash(_ password: String, app: AppID) async throws -> String {
        let slot = try admit(app: app)
        return try await slot.hash(password)
    }
}

/// The work of a hasher for a caller that has a slot.
package protocol PasswordHashing: Sendable {
    /// Returns a new salted hash, which names its scheme and cost (PHC string format).
    func hash(_ password: String) async throws -> String

    /// Checks a password. Without a hash it does the same work on a dummy hash and returns `.wrong`, so that the time
    /// does not show which accounts exist.
    func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict
}

/// A slot in the queue of a hasher. It is free again when its scope ends: by a return, an error or a cancellation.
package struct HashingSlot: ~Copyable, Sendable {
    private let hashing: any PasswordHashing
    private let leave: @Sendable () -> Void

    package init(_ hashing: any PasswordHashing, leave: @escaping @Sendable () -> Void = {}) {
        self.hashing = hashing
        self.leave = leave
    }

    deinit { leave() }

    package func hash(_ password: String) async throws -> String { try await hashing.hash(password) }

    package func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
        try await hashing.verify(password, against: hash)
    }
}

package enum PasswordVerdict: Sendable, Equatable {
    /// `needsUpgrade`: the stored hash has a lower cost than a new one.
    case right(needsUpgrade: Bool)
    case wrong
}

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
