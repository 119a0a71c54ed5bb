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
        let permitted = known.union([Visit.doneField])
        if let name = known.sorted().first(where: { texts($0).count > 1 }) {
            throw .invalidField(name, "must not be repeated")
        }
        guard let unknown = all.map(\.name).first(where: { !permitted.contains($0) }) else { return }
        let similar = SimilarName.of(unknown, in: known).map { "; did you mean \($0)?" } ?? ""
        throw .invalidField(MemberName.shown(unknown), "is not a filter of this page" + similar)
    }
}
