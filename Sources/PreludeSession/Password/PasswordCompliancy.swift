internal import SessionWire

/// The app's rules for passwords: minimum counts in Unicode scalars.
public struct PreludePasswordCompliancy: Sendable, Hashable {
    public var minLength: Int
    /// 0 is no limit.
    public var maxLength: Int
    public var uppercase: Int
    public var lowercase: Int
    public var numbers: Int
    public var symbols: Int

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

/// One rule for passwords.
public enum PreludePasswordCriterion: String, Sendable, Hashable, CaseIterable {
    case minLength = "min_length"
    case maxLength = "max_length"
    case uppercase, lowercase, numbers, symbols
}

/// How a password fares under one rule.
public struct PreludePasswordCompliancyResult: Sendable, Hashable {
    public let criterion: PreludePasswordCriterion
    /// What the password has.
    public let actual: Int
    /// What the rule asks for: at most for `maxLength`, at least for the others.
    public let expected: Int
    public let valid: Bool
}

/// How a password fares under all rules.
public struct PreludePasswordCompliancyResults: Sendable, Hashable {
    /// Whether every rule is met.
    public let valid: Bool
    /// One result a rule that the app has set.
    public let results: [PreludePasswordCompliancyResult]
}
