/// A one-time code, as a user typed or pasted it.
package enum EnteredCode {
    /// The digits of the code, in ASCII.
    ///
    /// Removes white space, punctuation and invisible characters, and replaces digits of other scripts, such as full-width
    /// or Arabic ones. A text that then has anything but digits is no code of the service: it is returned as it was typed.
    static func normalized(_ typed: String) -> String {
        var digits = ""
        for scalar in typed.unicodeScalars where !isSeparator(scalar) {
            guard let digit = digit(scalar) else { return typed }
            digits += digit
        }
        return digits.isEmpty ? typed : digits
    }

    /// The digits of a code that is worth one of its checks.
    ///
    /// - Throws: `.invalidOTPCode` for a text without digits, or with anything else. Nothing was sent.
    static func checked(_ typed: String) throws(PreludeSessionError) -> String {
        let code = normalized(typed)
        guard !code.isEmpty, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidOTPCode("a code has digits only; nothing was sent")
        }
        return code
    }

    /// A decimal digit of any script, in ASCII.
    package static func digit(_ scalar: Unicode.Scalar) -> String? {
        guard scalar.properties.generalCategory == .decimalNumber else { return nil }
        return scalar.properties.numericValue.map { String(Int($0)) }
    }

    /// Whether users and messages write a character between the digits of a code.
    package static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // `format` has the marks of the writing direction that some keyboards and messages add.
        case .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        case .dashPunctuation, .connectorPunctuation, .otherPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation:
            true
        // U+2212 is the minus sign. U+30FC and U+FF70 are the long vowel marks, which Japanese keyboards have in the place
        // of the dash.
        default: scalar == "\u{2212}" || scalar == "\u{30FC}" || scalar == "\u{FF70}"
        }
    }
}
