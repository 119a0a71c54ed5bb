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
