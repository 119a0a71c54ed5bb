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
