public import PreludeSession

extension NewPasswordModel {
    /// One rule of the app for passwords, and whether the current password meets it.
    public struct Rule: Sendable, Hashable, Identifiable {
        /// The kind of rule.
        public let criterion: PreludePasswordCompliancyCriterion
        /// The rule's count: a maximum for `maxLength`, a minimum for the others.
        public let expected: Int
        /// Whether the password meets the rule.
        public let isMet: Bool

        /// The kind of rule. Each kind occurs once.
        public var id: PreludePasswordCompliancyCriterion { criterion }

        init(_ result: PreludePasswordCompliancyResult) {
            criterion = result.criterion
            expected = result.expected
            isMet = result.valid
        }

        /// What the user must do.
        public var text: SessionUIText { SessionUIText(key, .count(expected)) }

        private var key: SessionUIText.Key {
            switch criterion {
            case .minLength: .minimumLength
            case .maxLength: .maximumLength
            case .uppercase: .minimumUppercase
            case .lowercase: .minimumLowercase
            case .numbers: .minimumNumbers
            // `symbols`: the results are of the rules of this version.
            default: .minimumSymbols
            }
        }
    }
}
