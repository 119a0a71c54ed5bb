import HTTPTypes
import Hummingbird
import HummingbirdCore
import SessionDomain
import SessionHTTP
import SessionTokens

/// The fields of a form, in a body or in a query (URL Standard, "application/x-www-form-urlencoded").
@available(service, *)
struct FormBody: Sendable, Equatable {
    private let fields: [(name: String, value: String)]
    /// The fields as they were sent.
    let encoded: String

    static func == (left: FormBody, right: FormBody) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// No fields.
    init() { (fields, encoded) = ([], "") }

    /// Reads fields. An invalid percent-encoding, bytes that are not UTF-8, and U+0000 and too many combining marks in a row, as
    /// in all bodies, are rejected.
    ///
    /// - Throws: `Refusal.invalidField("body")`.
    init(_ text: some StringProtocol) throws(Refusal) {
        var fields: [(String, String)] = []
        // Bytes, because a letter with many marks takes long to compare.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = parts.count > 1 ? Self.decoded(parts[1]) : "" else {
                throw .invalidField("body", "must be the fields of a form")
            }
            fields.append((name, value))
        }
        self.fields = fields
        encoded = String(text)
    }

    /// Reads the body of a form.
    ///
    /// - Throws: `HTTPError` for 413 and 415; `Refusal.invalidField("body")`.
    init(_ request: Request) async throws {
        let mediaType = request.headers[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first
        guard mediaType?.lowercased() == "application/x-www-form-urlencoded" else {
            throw HTTPError(.unsupportedMediaType)
        }
        guard let text = String(validating: try await request.bodyData(), as: UTF8.self) else {
            throw Refusal.invalidField("body", "must be the fields of a form")
        }
        try self.init(text)
    }

    private static func decoded(_ encoded: some Sequence<UInt8>) -> String? {
        guard let bytes = PercentEncoding.decoded(encoded, isForm: true), !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self), CombiningMarks.areBounded(in: text)
        else { return nil }
        return text
    }
}

@available(service, *)
extension FormBody {
    /// All fields in their order.
    var all: [(name: String, value: String)] { fields }

    /// The value of a field as it was entered. If it occurs more than once, the first one counts.
    func text(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// All values of a field, such as those of checkboxes with one name.
    func texts(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The fields that have a value, for filters: browsers send empty ones, too.
    var filters: FlatDictionary<Substring, Substring> {
        FlatDictionary(fields.filter { !$0.value.isEmpty }.map { ($0.name[...], $0.value[...]) })
    }

    /// Refuses a query with a field that the page does not have, or with two of one, so that no filter is ignored.
    ///
    /// - Throws: `Refusal.invalidField`.
    func checkFilters(_ known: Set<String>) throws(Refusal) {
        let all = known.union([Visit.doneField])
        if let name = known.sorted().first(where: { texts($0).count > 1 }) {
            throw .invalidField(name, "must not be repeated")
        }
        guard let unknown = fields.map(\.name).first(where: { !all.contains($0) }) else { return }
        let similar = SimilarName.of(unknown, in: known).map { "; did you mean \($0)?" } ?? ""
        throw .invalidField(MemberName.shown(unknown), "is not a filter of this page" + similar)
    }
}
