import Foundation
import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP

/// The fields of a form, in a body or in a query (URL Standard, "application/x-www-form-urlencoded").
struct FormBody: Sendable, Equatable {
    private let fields: FormFields
    /// The fields as they were sent.
    let encoded: String

    static func == (left: FormBody, right: FormBody) -> Bool {
        left.fields.all.elementsEqual(right.fields.all) { $0 == $1 }
    }

    /// No fields.
    init() { (fields, encoded) = (FormFields(), "") }

    /// Reads fields.
    ///
    /// - Parameter container: What has the fields, for errors.
    /// - Throws: `Refusal.invalidField`, as `FormFields`.
    init(_ text: some StringProtocol, of container: String = "body") throws(Refusal) {
        fields = try FormFields(text, of: container)
        encoded = String(text)
    }

    /// Reads the body of a form.
    ///
    /// - Throws: `HTTPError` for 413 and 415; `Refusal.invalidField`.
    init(_ request: Request) async throws {
        let mediaType = request.headers[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first
        guard mediaType?.lowercased() == "application/x-www-form-urlencoded" else {
            throw HTTPError(.unsupportedMediaType)
        }
        guard let text = String(validating: try await request.bodyData(), as: UTF8.self) else {
            throw Refusal.invalidField("body", "must be UTF-8")
        }
        try self.init(text)
    }
}

extension FormBody {
    /// All fields in their order.
    var all: [(name: String, value: String)] { fields.all }

    /// The value of a field as it was entered. If it occurs more than once, the first one counts.
    func text(_ name: String) -> String? { fields[name] }

    /// All values of a field, such as those of checkboxes with one name.
    func texts(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// The fields that have a value, for filters: browsers send empty ones, too.
    var filters: FormFields { FormFields(all.filter { !$0.value.isEmpty }) }

    /// Refuses a query with a field that the page does not have, or with two of one, so that no filter is ignored.
    ///
    /// - Throws: `Refusal.invalidField`.
    func checkFilters(_ known: Set<String>) throws(Refusal) {
        let permitted = known.union([ConsoleContext.doneField])
        if let name = known.sorted().first(where: { texts($0).count > 1 }) {
            throw .invalidField(name, "must not be repeated")
        }
        guard let unknown = all.map(\.name).first(where: { !permitted.contains($0) }) else { return }
        let similar = SimilarName.of(unknown, in: known).map { "; did you mean \($0)?" } ?? ""
        throw .invalidField(MemberName.shown(unknown), "is not a filter of this page" + similar)
    }
}

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

/// The time of a field `datetime-local` (HTML Living Standard), which has no zone. In the console it is UTC.
enum FieldTime {
    /// RFC 3339, if a text is the value of such a field. Any other text is returned as it is.
    static func rfc3339(_ text: String) -> String {
        guard text.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?/) != nil else { return text }
        return text + (text.utf8.count == 16 ? ":00Z" : "Z")
    }

    /// What a field shows for a time of either form.
    static func value(_ text: String) -> String { text.hasSuffix("Z") ? String(text.dropLast()) : text }
}
