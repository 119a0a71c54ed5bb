internal import Foundation

/// A name that operators choose, such as that of an app or of a management key.
enum DisplayName {
    /// Returns the name without surrounding spaces.
    ///
    /// A name is shown in terminals, where control and formatting characters could change what is read around it.
    ///
    /// - Throws: `Refusal.invalidField` for an empty or too long name, and for one with such characters.
    static func checked(_ name: String) throws(Refusal) -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...100).contains(name.unicodeScalars.count), !name.unicodeScalars.contains(where: isInvisible) else {
            throw .invalidField("name", "must have 1 to 100 characters, without control or formatting characters")
        }
        return name
    }

    /// Whether a text can be shown and entered on one line, and a form keeps it: without control and formatting characters, and
    /// without spaces at its ends.
    static func isOneLine(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: isInvisible)
            && text == text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}
