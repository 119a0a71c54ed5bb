internal import SessionWire

/// The app's rules for passwords. All counts are Unicode scalars.
public struct PreludePasswordCompliancy: Sendable, Hashable {
    /// Minimum length.
    public var minLength: Int
    /// Maximum length; 0 for no limit.
    public var maxLength: Int
    /// Minimum number of upper-case letters (general category `Lu`).
    public var uppercase: Int
    /// Minimum number of lower-case letters (`Ll`).
    public var lowercase: Int
    /// Minimum number of decimal digits (`Nd`).
    public var numbers: Int
    /// Minimum number of other scalars.
    public var symbols: Int

    /// Creates rules for `PreludeSessionClient.validate(password:against:)`. A count of 0 is no rule.
    public init(
        minLength: Int = 0, maxLength: Int = 0, uppercase: Int = 0, lowercase: Int = 0, numbers: Int = 0,
        symbols: Int = 0
    ) {
        self.minLength = minLength
        self.maxLength = maxLength
        self.uppercase = uppercase
        self.lowercase = lowercase
        self.numbers = numbers
        self.symbols = symbols
    }

    init(_ body: PasswordCompliancy) {
        self.init(
            minLength: body.minLength, maxLength: body.maxLength, uppercase: body.uppercase,
            lowercase: body.lowercase, numbers: body.numbers, symbols: body.symbols)
    }
}

extension PreludePasswordCompliancy: Codable {
    /// Decodes rules in the form of the service's response.
    public init(from decoder: any Decoder) throws { self.init(try PasswordCompliancy(from: decoder)) }

    /// Encodes the rules in the form of the service's response.
    public func encode(to encoder: any Encoder) throws {
        try PasswordCompliancy(
            minLength: minLength, maxLength: maxLength, uppercase: uppercase, lowercase: lowercase, numbers: numbers,
            symbols: symbols
        ).encode(to: encoder)
    }
}

/// A rule for passwords. New versions may add rules.
public struct PreludePasswordCompliancyCriterion: RawRepresentable, Sendable, Hashable, Codable {
    /// The name of the rule on the wire, in snake case, such as `min_length`.
    public let rawValue: String
    /// Creates a rule from its name on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The minimum length.
    public static let minLength = Self(rawValue: "min_length")
    /// The maximum length.
    public static let maxLength = Self(rawValue: "max_length")
    /// The minimum number of upper-case letters.
    public static let uppercase = Self(rawValue: "uppercase")
    /// The minimum number of lower-case letters.
    public static let lowercase = Self(rawValue: "lowercase")
    /// The minimum number of digits.
    public static let numbers = Self(rawValue: "numbers")
    /// The minimum number of symbols.
    public static let symbols = Self(rawValue: "symbols")
}

extension PreludePasswordCompliancyCriterion: CustomStringConvertible {
    /// The name of the rule on the wire.
    public var description: String { rawValue }
}

/// The result of one rule for a password.
public struct PreludePasswordCompliancyResult: Sendable, Hashable, Codable {
    /// The rule.
    public var criterion: PreludePasswordCompliancyCriterion
    /// The password's count.
    public var actual: Int
    /// The rule's count: a maximum for `maxLength`, a minimum for the others.
    public var expected: Int
    /// Whether the password meets the rule.
    public var valid: Bool

    /// Creates a result, for previews and tests.
    ///
    /// - Parameters:
    ///   - criterion: The rule.
    ///   - actual: The password's count.
    ///   - expected: The rule's count.
    ///   - valid: Whether the password meets the rule.
    public init(criterion: PreludePasswordCompliancyCriterion, actual: Int, expected: Int, valid: Bool) {
        self.criterion = criterion
        self.actual = actual
        self.expected = expected
        self.valid = valid
    }
}

/// The results of all rules for a password.
public struct PreludePasswordCompliancyResults: Sendable, Hashable, Codable {
    /// Whether the password meets every rule.
    public var valid: Bool
    /// One result for each rule that the app has set.
    public var results: [PreludePasswordCompliancyResult]

    /// Creates results, for previews and tests.
    ///
    /// - Parameters:
    ///   - results: One result for each rule.
    ///   - valid: Whether the password meets every rule; `nil`: whether each result is valid.
    public init(results: [PreludePasswordCompliancyResult], valid: Bool? = nil) {
        self.valid = valid ?? results.allSatisfy(\.valid)
        self.results = results
    }
}

extension PreludePasswordCompliancy {
    /// Counts scalars by Unicode general category: `Lu`, `Ll`, `Nd`, and all others as symbols.
    func check(_ password: String) -> PreludePasswordCompliancyResults {
        var counts: [PreludePasswordCompliancyCriterion: Int] = [:]
        for scalar in password.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter: counts[.uppercase, default: 0] += 1
            case .lowercaseLetter: counts[.lowercase, default: 0] += 1
            case .decimalNumber: counts[.numbers, default: 0] += 1
            default: counts[.symbols, default: 0] += 1
            }
        }
        let length = password.unicodeScalars.count
        counts[.minLength] = length
        counts[.maxLength] = length
        let rules: [(PreludePasswordCompliancyCriterion, Int)] = [
            (.minLength, minLength), (.maxLength, maxLength), (.uppercase, uppercase), (.lowercase, lowercase),
            (.numbers, numbers), (.symbols, symbols),
        ]
        let results = rules.filter { $0.1 > 0 }.map { criterion, expected in
            let actual = counts[criterion] ?? 0
            return PreludePasswordCompliancyResult(
                criterion: criterion, actual: actual, expected: expected,
                valid: criterion == .maxLength ? actual <= expected : actual >= expected)
        }
        return PreludePasswordCompliancyResults(results: results)
    }
}
