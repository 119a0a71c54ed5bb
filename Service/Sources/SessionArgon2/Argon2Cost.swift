package import SessionDomain

/// The cost of one password hash.
package struct Argon2Cost: Sendable, Equatable {
    /// Passes over the memory (`t`).
    package let passes: Int
    /// KiB of memory (`m`).
    package let memory: Int

    /// 2 passes over 19 MiB, the OWASP minimum for Argon2id.
    package static let standard = Argon2Cost(uncheckedPasses: 2, memory: 19 * 1024)

    /// The valid configuration. Cheaper hashes are easy to guess, and costlier ones can overload the service.
    package static let passesRange = 1...10
    package static let memoryRange = 7 * 1024...1024 * 1024

    /// - Throws: `Refusal.invalidField` outside the safe bounds.
    package init(passes: Int, memory: Int) throws(Refusal) {
        guard Self.passesRange.contains(passes) else {
            throw .invalidField("password hash passes", "must be 1 to 10")
        }
        guard Self.memoryRange.contains(memory) else {
            throw .invalidField("password hash memory", "must be 7168 to 1048576 KiB")
        }
        self.init(uncheckedPasses: passes, memory: memory)
    }

    init(uncheckedPasses passes: Int, memory: Int) {
        self.passes = passes
        self.memory = memory
    }

    /// The maximum cost of a stored hash that is verified: twice this cost, and at least 10 passes over 64 MiB.
    ///
    /// Imported hashes may have any cost. Without a limit, one hash could overload the service.
    var storedLimit: Argon2Cost {
        Argon2Cost(uncheckedPasses: max(10, 2 * passes), memory: max(64 * 1024, 2 * memory))
    }

    func isWithin(_ limit: Argon2Cost) -> Bool { passes <= limit.passes && memory <= limit.memory }
}
