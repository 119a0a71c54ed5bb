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
        guard let bytes = percentDecoded(encoded) else {
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

    /// The bytes that a percent-encoded text in UTF-8 stands for (RFC 3986 §2.1), where a plus sign is a space (URL Standard,
    /// "application/x-www-form-urlencoded"). `nil`: a percent sign is not followed by two hexadecimal digits.
    private static func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, input) = ([UInt8](), text.makeIterator())
        while let byte = input.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = input.next().flatMap(digit), let low = input.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
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

extension String {
    /// The path of a target in origin form (RFC 9112 §3.2.1). Compares bytes, because each request comes here.
    var withoutQuery: String {
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return self }
        return String(self[..<mark])
    }
}
