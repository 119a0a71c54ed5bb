import SessionArgon2

extension Argon2PasswordHasher {
    /// The service's password hash at the lowest cost that it accepts, so that a hash takes milliseconds.
    static func cheap() throws -> Argon2PasswordHasher {
        try Argon2PasswordHasher(cost: Argon2Cost(passes: 1, memory: 7 * 1024))
    }
}
