import HTTPTypes
import Hummingbird
import HummingbirdCore
import SessionDomain
import SessionHTTP

/// The fields of a form, in a body or in a query (URL Standard, "application/x-www-form-urlencoded").
@available(service, *)
struct FormBody: Sendable, Equatable {
    private let fields: [(name: String, value: String)]
    /// The fields as they were sent.
    let encoded: String

    static func == (left: FormBody, right: FormBody) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// Reads fields. An invalid percent-encoding, bytes that are not UTF-8, and U+0000, as in all bodies, are rejected.
    ///
    /// - Throws: `Refusal.invalidField("body")`.
    /// No fields.
    init() { (fields, encoded) = ([], "") }

    init(_ text: some StringProtocol) throws(Refusal) {
        var fields: [(String, String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : "") else {
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

    private static func decoded(_ text: some StringProtocol) -> String? {
        var (bytes, input) = ([UInt8](), text.utf8.makeIterator())
        while let byte = input.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = input.next().flatMap(digit), let low = input.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
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

@available(service, *)
extension FormBody {
    /// The value of a field as it was entered. If it occurs more than once, the first one counts.
    func text(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// All values of a field, such as those of checkboxes with one name.
    func texts(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The fields that have a value, for filters: browsers send empty ones, too.
    var filters: FlatDictionary<Substring, Substring> {
        FlatDictionary(fields.filter { !$0.value.isEmpty }.map { ($0.name[...], $0.value[...]) })
    }
}
