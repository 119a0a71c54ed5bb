/// The rules of passwords: counts of Unicode scalars. `maxLength` 0 means no limit.
package struct PasswordPolicy: Sendable, Equatable, Codable {
    package var minLength = 8
    package var maxLength = 0
    package var uppercase = 0
    package var lowercase = 0
    package var numbers = 0
    package var symbols = 0

    package init() {}

    /// Counts by general category: `Lu`, `Ll` and `Nd`. All other scalars are symbols.
    package func check(_ password: String) throws(Refusal) {
        var counts = (upper: 0, lower: 0, numbers: 0, symbols: 0)
        for scalar in password.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter: counts.upper += 1
            case .lowercaseLetter: counts.lower += 1
            case .decimalNumber: counts.numbers += 1
            default: counts.symbols += 1
            }
        }
        let length = password.unicodeScalars.count
        let shortfalls = [
            (length < minLength, "at least \(minLength) characters"),
            (maxLength > 0 && length > maxLength, "at most \(maxLength) characters"),
            (counts.upper < uppercase, "at least \(uppercase) upper-case letters"),
            (counts.lower < lowercase, "at least \(lowercase) lower-case letters"),
            (counts.numbers < numbers, "at least \(numbers) digits"),
            (counts.symbols < symbols, "at least \(symbols) symbols"),
        ]
        let unmet = shortfalls.filter(\.0).map(\.1)
        guard unmet.isEmpty else { throw .invalidPassword("password needs " + unmet.joined(separator: ", ")) }
    }
}
