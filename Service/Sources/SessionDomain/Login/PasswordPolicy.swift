internal import Foundation

/// The rules of passwords: counts of Unicode scalars.
package struct PasswordPolicy: Sendable, Equatable, Codable {
    /// The most scalars that a password may have after NFC, whatever the policy of the app. NIST SP 800-63B-4 §3.1.1.2 demands
    /// that 64 are permitted.
    package static let maximumLength = 256
    /// The most scalars that NFC makes one of (UAX #15). More of them are too many without a look at what they are.
    private static let scalarsOfComposition = 4

    package var minLength = 8
    /// At most `maximumLength`.
    package var maxLength = PasswordPolicy.maximumLength
    package var uppercase = 0
    package var lowercase = 0
    package var numbers = 0
    package var symbols = 0

    package init() {}

    /// Reads a stored policy. Earlier versions had a `maxLength` of 0, which meant no maximum, and counts up to 1024.
    package init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        minLength = min(try stored.decode(Int.self, forKey: .minLength), Self.maximumLength)
        maxLength = try stored.decode(Int.self, forKey: .maxLength)
        uppercase = try stored.decode(Int.self, forKey: .uppercase)
        lowercase = try stored.decode(Int.self, forKey: .lowercase)
        numbers = try stored.decode(Int.self, forKey: .numbers)
        symbols = try stored.decode(Int.self, forKey: .symbols)
        self = bounded
    }

    /// The same policy with the maximum of the service, if it has none or a larger one.
    package var bounded: PasswordPolicy {
        var policy = self
        if !(1...Self.maximumLength).contains(maxLength) { policy.maxLength = Self.maximumLength }
        return policy
    }

    /// Counts by general category: `Lu`, `Ll` and `Nd`. All other scalars are symbols.
    ///
    /// The maximum is compared first and counts the password after NFC: every other rule may take time that grows with its
    /// length.
    package func check(_ password: String) throws(Refusal) {
        let most = bounded.maxLength
        guard password.unicodeScalars.dropFirst(most * Self.scalarsOfComposition).isEmpty,
            password.precomposedStringWithCanonicalMapping.unicodeScalars.count <= most
        else { throw .invalidPassword("password needs at most \(most) characters") }
        var counts = (upper: 0, lower: 0, numbers: 0, symbols: 0)
        for scalar in password.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter: counts.upper += 1
            case .lowercaseLetter: counts.lower += 1
            case .decimalNumber: counts.numbers += 1
            default: counts.symbols += 1
            }
        }
        let shortfalls = [
            (password.unicodeScalars.count < minLength, "at least \(minLength) characters"),
            (counts.upper < uppercase, "at least \(uppercase) upper-case letters"),
            (counts.lower < lowercase, "at least \(lowercase) lower-case letters"),
            (counts.numbers < numbers, "at least \(numbers) digits"),
            (counts.symbols < symbols, "at least \(symbols) symbols"),
        ]
        let unmet = shortfalls.filter(\.0).map(\.1)
        guard unmet.isEmpty else { throw .invalidPassword("password needs " + unmet.joined(separator: ", ")) }
    }
}
