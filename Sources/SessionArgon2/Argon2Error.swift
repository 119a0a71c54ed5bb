/// What hashing can fail with, beside being overloaded.
package enum Argon2Error: Error, Equatable, CustomStringConvertible {
    case libraryUnusable
    case outOfMemory(kibibytes: Int)

    package var description: String {
        switch self {
        case .libraryUnusable: "libsodium cannot be used: sodium_init failed; check that the library is intact"
        case .outOfMemory(let kibibytes):
            "no memory for a password hash of \(kibibytes) KiB; lower its memory or the number of slots"
        }
    }
}
