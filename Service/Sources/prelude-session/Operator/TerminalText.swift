import Foundation

extension String {
    /// The text as a terminal can show it: characters that it could interpret are escaped, such as line breaks, control
    /// sequences and changes of the direction of writing.
    var escapedForTerminal: String {
        unicodeScalars.map { $0.isInterpreted ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// The same for JSON, in the escapes of RFC 8259 §7. JSON itself escapes the characters below U+0020.
    var escapedJSONForTerminal: String {
        unicodeScalars.map { scalar in
            guard scalar.value >= 0x7F, scalar.isInterpreted else { return String(scalar) }
            return scalar.utf16.map { String(format: "\\u%04x", $0) }.joined()
        }.joined()
    }
}

extension Unicode.Scalar {
    fileprivate var isInterpreted: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}
