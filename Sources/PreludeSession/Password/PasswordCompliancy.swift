internal import SessionWire

/// The app's rules for passwords: minimum counts in Unicode scalars.
public struct PreludePasswordCompliancy: Sendable, Hashable {
    /// Scalars a password must have.
    public var minLength: Int
    /// Scalars a password may have; 0 is no limit.
    public var maxLength: Int
    /// Upper-case letters it must have (general category `Lu`).
    public var uppercase: Int
    /// Lower-case letters it must have (`Ll`).
    public var lowercase: Int
    /// Decimal digits it must have (`Nd`).
    public var numbers: Int
    /// Other scalars it must have.
    public var symbols: Int

    /// Rules at hand, for `PreludeSessionClient.validate(password:against:)`; a count of 0 is no rule.
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
    /// Not too short.
    case minLength = "min_length"
    /// Not too long.
    case maxLength = "max_length"
    /// Enough of a kind of scalar.
    case uppercase, lowercase, numbers, symbols
}

/// How a password fares under one rule.
public struct PreludePasswordCompliancyResult: Sendable, Hashable {
    /// The rule.
    public let criterion: PreludePasswordCriterion
    /// What the password has.
    public let actual: Int
    /// What the rule asks for: at most for `maxLength`, at least for the others.
    public let expected: Int
    /// Whether the rule is met.
    public let valid: Bool
}

/// How a password fares under all rules.
public struct PreludePasswordCompliancyResults: Sendable, Hashable {
    /// Whether every rule is met.
    public let valid: Bool
    /// One result a rule that the app has set.
    public let results: [PreludePasswordCompliancyResult]
}
