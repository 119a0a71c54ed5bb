import ArgumentParser
import Foundation
import SessionDomain
import SessionTokens

/// What a command prints of one thing: names with values, in the order of a person's reading.
typealias Record = [(name: String, value: RecordValue)]

/// A value as data for a program, and as text for a person.
struct RecordValue {
    let json: JSONValue
    let text: String

    /// - Parameter none: The text of a value that is missing.
    static func text(_ value: String?, none: String = "–") -> RecordValue {
        RecordValue(json: value.map(JSONValue.string) ?? .null, text: value ?? none)
    }

    static func number(_ value: Int?, none: String = "–") -> RecordValue {
        RecordValue(json: value.map { .int(Int64($0)) } ?? .null, text: value.map(String.init) ?? none)
    }

    static func flag(_ value: Bool, _ yes: String = "on", _ no: String = "off") -> RecordValue {
        RecordValue(json: .bool(value), text: value ? yes : no)
    }

    static func time(_ value: Timestamp?, none: String = "never") -> RecordValue { .text(value?.rfc3339, none: none) }

    static func list(_ values: [String], between separator: String = ", ", none: String = "") -> RecordValue {
        let text = values.isEmpty ? none : values.joined(separator: separator)
        return RecordValue(json: .array(values.map(JSONValue.string)), text: text)
    }
}

extension JSONValue {
    /// An object with names of JSON: `last seen` becomes `last_seen`.
    init(_ record: Record) {
        self = .object(
            Dictionary(
                record.map { field in
                    (String(field.name.map { $0 == " " || $0 == "-" ? "_" : $0 }), field.value.json)
                }
            ) { first, _ in first })
    }
}

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

/// Asks on a terminal before what cannot be undone. A script must say `--yes`.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// - Parameters:
    ///   - consequence: What happens, as a sentence.
    ///   - refusal: What has not happened without a confirmation, as a sentence.
    func ask(_ consequence: String, ifNot refusal: String) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("\(consequence) Add --yes to confirm.")
        }
        Prompt.say(consequence)
        guard try Prompt.line("type yes to continue").lowercased() == "yes" else {
            throw ValidationError("Not confirmed. \(refusal)")
        }
    }
}
