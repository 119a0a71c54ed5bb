import Foundation
import SessionDomain

/// The values of fields by their types. Rules for the values are those of `SessionDomain`.
extension FormBody {
    /// A text without surrounding spaces, or `nil` for an empty one.
    func filled(_ name: String) -> String? {
        let text = text(name)?.trimmingCharacters(in: .whitespacesAndNewlines)
        return text?.isEmpty == false ? text : nil
    }

    func required(_ name: String) throws(Refusal) -> String {
        guard let text = filled(name) else { throw .invalidField(name, "is required") }
        return text
    }

    func number(_ name: String) throws(Refusal) -> Int { try number(name, of: try required(name)) }

    /// A number, or `nil` for an empty field.
    func numberIfFilled(_ name: String) throws(Refusal) -> Int? {
        guard let text = filled(name) else { return nil }
        return try number(name, of: text)
    }

    private func number(_ name: String, of text: String) throws(Refusal) -> Int {
        guard let number = Int(text) else { throw .invalidField(name, "must be a whole number") }
        return number
    }

    /// Whether a checkbox is checked. Browsers leave out one that is not.
    func isChecked(_ name: String) -> Bool { text(name) != nil }

    /// The lines of a text that are not empty, without surrounding spaces.
    func lines(_ name: String) -> [String] {
        (text(name) ?? "").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// A text of several lines. Browsers send each line break as CR and LF.
    func block(_ name: String) -> String? { text(name)?.replacing("\r\n", with: "\n") }

    /// One of the values of a type.
    func choice<Value: RawRepresentable>(
        _ name: String, _ known: [Value]
    ) throws(Refusal) -> Value where Value.RawValue == String {
        guard let value = known.first(where: { $0.rawValue == text(name) }) else {
            throw .invalidField(name, "must be " + known.map(\.rawValue).joined(separator: " or "))
        }
        return value
    }

    /// The limit of two fields: a number, and seconds.
    ///
    /// - Parameter seconds: The end of the name of the field with the seconds.
    func rateLimit(_ name: String, seconds: String = "ttl") throws(Refusal) -> RateLimit {
        RateLimit(limit: try number(name + ".limit"), window: try number(name + "." + seconds))
    }
}
