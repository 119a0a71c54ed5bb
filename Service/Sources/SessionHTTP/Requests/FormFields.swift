package import Hummingbird
package import SessionDomain
import SessionTokens

/// The fields of a form, in a query or in a body (URL Standard, "application/x-www-form-urlencoded"). A plus sign is a space.
package struct FormFields: Sendable {
    /// All fields in their order.
    package private(set) var all: [(name: String, value: String)] = []

    package init() {}

    /// Reads fields. An invalid percent-encoding, bytes that are not UTF-8, and U+0000 and too many combining marks in a row, as
    /// in JSON bodies, are rejected: not every store can look up U+0000, and to compare many marks takes long.
    ///
    /// - Parameter container: What has the fields, `query` or `body`. Errors name it if the name of the field is not readable.
    /// - Throws: `Refusal.invalidField` with the name of the field.
    package init(_ text: some StringProtocol, of container: String) throws(Refusal) {
        // Bytes, because a letter with many marks takes long to compare.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(parts[0], of: container)
            let shown = MemberName.isPlain(name) ? name : container
            all.append((name, parts.count > 1 ? try Self.decoded(parts[1], of: shown) : ""))
        }
    }

    /// The value of a field as it was entered. If it occurs more than once, the first one counts.
    package subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    private static func decoded(_ encoded: some Sequence<UInt8>, of field: String) throws(Refusal) -> String {
        guard let bytes = PercentEncoding.decodedForm(encoded) else {
            throw .invalidField(field, "must have two hexadecimal digits after each percent sign")
        }
        guard !bytes.contains(0) else { throw .invalidField(field, "must not contain U+0000") }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { throw .invalidField(field, "must be UTF-8") }
        guard CombiningMarks.areBounded(in: text) else {
            throw .invalidField(field, "must not have more than \(CombiningMarks.maximum) combining marks in a row")
        }
        return text
    }
}

extension FormFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) { all = elements.map { ($0.0, $0.1) } }

    package init(_ fields: some Sequence<(name: String, value: String)>) { all = Array(fields) }
}

extension Request {
    /// The parameters of the query. `CanonicalPath` has refused a query that cannot be read.
    package var query: FormFields {
        get throws(Refusal) { try FormFields(uri.query ?? "", of: "query") }
    }
}
