public import Foundation

/// Writes the JSON of tokens and reads the JSON of tokens and request bodies.
public enum TokenJSON {
    /// Decodes JSON strictly: rejects repeated members and encodings other than UTF-8.
    ///
    /// - Throws: `DecodingError`. If the text is not valid JSON, its underlying error is a `JSONError`.
    public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let value = try JSONReader.read(data)
        if let value = value as? Value { return value }
        if case .object(let members) = value, let members = members as? Value { return members }
        return try JSONDecoder().decode(type, from: data)
    }

    /// Reads a JSON object strictly and without a decoder, for tokens that are read with every request.
    ///
    /// - Throws: `DecodingError`, as `decode(_:from:)`.
    public static func read<Value: JSONObjectReadable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard let members = try JSONReader.readMembers(data) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The JSON is not an object."))
        }
        return try Value(JSONObject(members))
    }
}

/// Why a JSON text is rejected. It is the underlying error of the thrown `DecodingError`.
public enum JSONError: Error, Hashable {
    case notUTF8
    case tooDeep(limit: Int)
    /// The value is the member's name. The sender chose it, so escape it before you show it.
    case repeatedMember(String)
    /// U+0000 in a string. Databases and C libraries may end a text there, so two texts could become equal (RFC 8259 §9).
    case nullCharacter
    /// More combining marks in a row than `CombiningMarks.maximum`.
    case tooManyMarks
    /// A violation of the grammar (RFC 8259). The value is a fixed text that describes it.
    case malformed(String)
}

/// A strict JSON parser (RFC 8259): it rejects every text that two parsers could read differently.
///
/// It rejects repeated members, encodings other than UTF-8, and deep nesting. Some parsers use the first of two equal
/// members and some the last. Two readers could then see different claims in one token (RFC 7515 §4, RFC 7519 §4,
/// RFC 8725 §3.7), and a proxy could check another body than the service reads.
private struct JSONReader {
    /// The maximum nesting depth.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private let isASCII: Bool
    private var position = 0
    private var depth = 0

    static func read(_ data: Data) throws -> JSONValue {
        var reader = JSONReader(bytes: Array(data))
        return try reader.read { try $0.readValue() }
    }

    /// Reads a text whose value is an object, without a dictionary.
    ///
    /// - Returns: `nil` for a text with another value.
    static func readMembers(_ data: Data) throws -> JSONMembers? {
        var reader = JSONReader(bytes: Array(data))
        return try reader.read { reader in
            guard reader.peek == UInt8(ascii: "{") else {
                _ = try reader.readValue()
                return nil
            }
            return try reader.readMembers()
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        // Without a way out of the loop, the compiler compares many bytes at once.
        isASCII = bytes.reduce(0, |) < 0x80
    }

    private mutating func read<Value>(_ readValue: (inout JSONReader) throws -> Value) throws -> Value {
        // Check the encoding once for the whole text. Strings are then copied without a check.
        guard isASCII || String(bytes: bytes, encoding: .utf8) != nil else {
            throw Self.failure(.notUTF8)
        }
        skipWhiteSpace()
        let value = try readValue(&self)
        skipWhiteSpace()
        guard position == bytes.count else { throw Self.failure(.malformed("text after the value")) }
        return value
    }

    private mutating func readValue() throws -> JSONValue {
        skipWhiteSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try readObject())
        case UInt8(ascii: "["): return .array(try readArray())
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try readLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try readLiteral("null", .null)
        default: return try readNumber()
        }
    }

    private mutating func readObject() throws -> [String: JSONValue] {
        try open()
        var members: [String: JSONValue] = [:]
        while try !closes(UInt8(ascii: "}"), isFirst: members.isEmpty) {
            let name = try readName()
            // Most objects of tokens have four members or more. One allocation instead of three.
            if members.isEmpty { members.reserveCapacity(6) }
            guard members.updateValue(try readValue(), forKey: name) == nil else {
                throw Self.failure(.repeatedMember(name))
            }
        }
        return members
    }

    private mutating func readMembers() throws -> JSONMembers {
        try open()
        var members = JSONMembers()
        while try !closes(UInt8(ascii: "}"), isFirst: members.isEmpty) {
            let name = try readName()
            guard members.add(name, try readValue()) else { throw Self.failure(.repeatedMember(name)) }
        }
        return members
    }

    /// Reads the name of a member and the colon.
    private mutating func readName() throws -> String {
        guard peek == UInt8(ascii: "\"") else { throw Self.failure(.malformed("a member without a name")) }
        let name = try readString()
        skipWhiteSpace()
        guard take(UInt8(ascii: ":")) else { throw Self.failure(.malformed("a member without a value")) }
        return name
    }

    private mutating func readArray() throws -> [JSONValue] {
        try open()
        var elements: [JSONValue] = []
        while try !closes(UInt8(ascii: "]"), isFirst: elements.isEmpty) { elements.append(try readValue()) }
        return elements
    }

    private mutating func open() throws {
        position += 1
        depth += 1
        guard depth <= Self.maximumDepth else { throw Self.failure(.tooDeep(limit: Self.maximumDepth)) }
    }

    /// Whether the object or array ends here. If not, reads the comma before its next element.
    private mutating func closes(_ end: UInt8, isFirst: Bool) throws -> Bool {
        skipWhiteSpace()
        if take(end) {
            depth -= 1
            return true
        }
        guard isFirst || take(UInt8(ascii: ",")) else { throw Self.failure(.malformed("a comma is missing")) }
        skipWhiteSpace()
        return false
    }

    private mutating func readString() throws -> String {
        position += 1
        if let text = plainText() { return isASCII ? text : try Self.bounded(text) }
        return try readEscapedString()
    }

    /// Reads a string without escapes and its quote. `nil` for any other string, of which it reads nothing.
    private mutating func plainText() -> String? {
        let text: String? = bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, position < bytes.count,
                let quote = memchr(start + position, CInt(UInt8(ascii: "\"")), bytes.count - position)
            else { return nil }
            let end = UnsafeRawPointer(quote) - UnsafeRawPointer(start)
            let text = UnsafeBufferPointer(rebasing: bytes[position..<end])
            let others: UInt8 = text.reduce(0) { $0 | ($1 < 0x20 || $1 == UInt8(ascii: "\\") ? 1 : 0) }
            return others == 0 ? String(decoding: text, as: UTF8.self) : nil
        }
        if let text { position += text.utf8.count + 1 }
        return text
    }

    /// Reads a string with escapes: "\u0061lg" is "alg".
    private mutating func readEscapedString() throws -> String {
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try Self.bounded(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "\\"): text.append(contentsOf: try readEscape())
            case ..<0x20: throw Self.failure(.malformed("a control character in a string"))
            default: text.append(byte)
            }
        }
        throw Self.failure(.malformed("an unterminated string"))
    }

    private static func bounded(_ text: String) throws -> String {
        guard CombiningMarks.areBounded(in: text) else { throw failure(.tooManyMarks) }
        return text
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func readEscape() throws -> [UInt8] {
        guard let letter = peek else { throw Self.failure(.malformed("an unterminated string")) }
        position += 1
        if let byte = Self.escapes[letter] { return [byte] }
        guard letter == UInt8(ascii: "u") else { throw Self.failure(.malformed("an invalid escape")) }
        var unit = try readCodeUnit()
        // A character beyond U+FFFF is a surrogate pair (RFC 8259 §7). An unpaired surrogate is invalid.
        if (0xD800..<0xDC00).contains(unit) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), case let low = try readCodeUnit(),
                (0xDC00..<0xE000).contains(low)
            else { throw Self.failure(.malformed("an unpaired surrogate")) }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard unit != 0 else { throw Self.failure(.nullCharacter) }
        guard let scalar = Unicode.Scalar(unit) else { throw Self.failure(.malformed("an unpaired surrogate")) }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func readCodeUnit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw Self.failure(.malformed("an invalid escape"))
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    private mutating func readLiteral(_ literal: StaticString, _ value: JSONValue) throws -> JSONValue {
        let end = position + literal.utf8CodeUnitCount
        guard end <= bytes.count,
            bytes[position..<end].elementsEqual(
                UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
        else { throw Self.failure(.malformed("an unknown literal")) }
        position = end
        return value
    }

    /// Reads a number (RFC 8259 §6). A whole number that fits into 64 bits becomes an integer in any notation. All other
    /// numbers become the nearest double.
    private mutating func readNumber() throws -> JSONValue {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        let whole = skipDigits()
        guard whole == 1 || (whole > 1 && bytes[position - whole] != UInt8(ascii: "0")) else {
            throw Self.failure(.malformed("a value is missing"))
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard skipDigits() > 0 else { throw Self.failure(.malformed("a number without digits")) }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() > 0 else { throw Self.failure(.malformed("a number without digits")) }
        }
        // Fast path: up to 18 digits always fit into 64 bits. Times and counts are not longer.
        if isInteger, whole <= 18 {
            var value: Int64 = 0
            for digit in bytes[(position - whole)..<position] { value = value * 10 + Int64(digit - UInt8(ascii: "0")) }
            return .int(isNegative ? -value : value)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else {
            throw Self.failure(.malformed("a number that is too large"))
        }
        return Int64(exactly: value).map(JSONValue.int) ?? .double(value)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func skipWhiteSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips the next byte if it equals `byte`.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private static func failure(_ reason: JSONError) -> DecodingError {
        DecodingError.dataCorrupted(
            .init(codingPath: [], debugDescription: "The JSON is invalid or ambiguous.", underlyingError: reason))
    }
}
