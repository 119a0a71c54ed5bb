/// A one-time code, as a user typed or pasted it.
enum EnteredCode {
    /// The digits of the code, in ASCII.
    ///
    /// Removes white space, dashes and invisible characters, and replaces digits of other scripts, such as full-width or
    /// Arabic ones. A text that then has anything but digits is no code of the service: it is returned as it was typed.
    static func normalized(_ typed: String) -> String {
        var digits = ""
        for scalar in typed.unicodeScalars where !isSeparator(scalar) {
            guard scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue else {
                return typed
            }
            digits += String(Int(value))
        }
        return digits.isEmpty ? typed : digits
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // `format` has the marks of the writing direction that some keyboards and messages add.
        case .dashPunctuation, .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        // U+2212 is the minus sign, U+30FC the long vowel mark that Japanese keyboards have in the place of the dash.
        default: scalar == "\u{2212}" || scalar == "\u{30FC}"
        }
    }
}
