internal import PreludeSession

/// Reads the digits of a code from what a user types or pastes.
enum CodeDigits {
    /// The decimal digits of a text as ASCII, from any script: `１２３ - ٤٥٦` is `123456`. Everything else is dropped.
    ///
    /// A text with more digits than a code is a pasted message, such as `Acme24: 123456`. It is read as the only code in it.
    /// Without one, it is read as no digits, so that no wrong code is submitted.
    ///
    /// - Parameter length: The number of digits of a code.
    static func read(_ text: String, length: Int) -> String {
        let groups = groups(of: text)
        let digits = groups.map(\.digits).joined()
        // The field has digits only, so those that are typed behind the code are in one group with it.
        guard digits.count > length, groups.count > 1 else { return String(digits.prefix(length)) }
        // A message may have its code twice: for the reader, and at its end for the system.
        for candidates in [groups.map(\.digits), chains(of: groups)] {
            let codes = Set(candidates.filter { $0.count == length })
            if let code = codes.first { return codes.count == 1 ? code : "" }
        }
        return ""
    }

    /// Digits with nothing between them.
    private struct Group {
        var digits: String
        /// Whether one separator is between the group and the one before: `123 456`, `123-456`.
        let continues: Bool
    }

    private static func groups(of text: String) -> [Group] {
        var groups: [Group] = []
        var gap: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .format {
            guard let digit = EnteredCode.digit(scalar) else {
                gap.append(scalar)
                continue
            }
            if gap.isEmpty, !groups.isEmpty {
                groups[groups.count - 1].digits += digit
            } else {
                groups.append(Group(digits: digit, continues: gap.count == 1 && EnteredCode.isSeparator(gap[0])))
            }
            gap = []
        }
        return groups
    }

    /// The digits of groups that continue each other.
    private static func chains(of groups: [Group]) -> [String] {
        groups.reduce(into: []) { chains, group in
            if group.continues, !chains.isEmpty {
                chains[chains.count - 1] += group.digits
            } else {
                chains.append(group.digits)
            }
        }
    }
}
