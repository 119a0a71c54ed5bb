/// A data item of CBOR (RFC 8949), of the kinds that WebAuthn needs: no tags, no floating-point numbers, and integers of 64
/// bits with sign.
package enum CBOR: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map(CBORMap)
    case bool(Bool)
    case null

    var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var textValue: String? { if case .text(let value) = self { value } else { nil } }
    var mapValue: CBORMap? { if case .map(let value) = self { value } else { nil } }

    /// The items of an array of byte strings.
    var bytesArray: [[UInt8]]? {
        guard case .array(let items) = self else { return nil }
        let values = items.compactMap(\.bytesValue)
        return values.count == items.count ? values : nil
    }

    /// Reads one item that is the whole of its bytes.
    static func read(_ bytes: [UInt8], keys: CBORKeyOrder) throws(WebAuthnError) -> CBOR {
        var reader = CBORReader(bytes, keys: keys)
        let item = try reader.read()
        guard reader.position == bytes.count else { throw .malformedCBOR(.trailingBytes) }
        return item
    }
}

/// The members of a map. Its keys are integers or texts, and each is there once.
package struct CBORMap: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let key: CBOR
        package let value: CBOR
    }

    package let members: [Member]

    subscript(key: Int64) -> CBOR? { members.first { $0.key == .integer(key) }?.value }
    subscript(key: String) -> CBOR? { members.first { $0.key == .text(key) }?.value }
}

extension CBOR {
    /// A map with keys of text.
    package static func members(_ members: KeyValuePairs<String, CBOR>) -> CBOR {
        .map(CBORMap(members: members.map { .init(key: .text($0), value: $1) }))
    }

    /// A map with keys of integers.
    package static func members(_ members: KeyValuePairs<Int64, CBOR>) -> CBOR {
        .map(CBORMap(members: members.map { .init(key: .integer($0), value: $1) }))
    }

    /// The item in the canonical form, with sorted keys.
    package var encoded: [UInt8] {
        switch self {
        case .integer(let value):
            value < 0 ? Self.head(1, UInt64(-1 - value)) : Self.head(0, UInt64(value))
        case .bytes(let value): Self.head(2, UInt64(value.count)) + value
        case .text(let value): Self.head(3, UInt64(value.utf8.count)) + Array(value.utf8)
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let map):
            Self.head(5, UInt64(map.members.count))
                + map.members.map { ($0.key.encoded, $0.value.encoded) }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }.flatMap { $0 + $1 }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        switch argument {
        case ..<24: return [major << 5 | UInt8(argument)]
        case ..<0x100: return [major << 5 | 24, UInt8(argument)]
        default:
            let power = argument < 0x1_0000 ? 1 : argument < 0x1_0000_0000 ? 2 : 3
            let bytes = (0..<(1 << power)).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * $0)) }
            return [major << 5 | UInt8(24 + power)] + bytes
        }
    }
}

/// Which order of the keys of a map a reader accepts. Both reject a key that is there twice.
enum CBORKeyOrder: Sendable {
    /// The order of CTAP2 (WebAuthn §6, "CTAP2 canonical CBOR encoding form"), which is that of RFC 8949 §4.2.1 too, because
    /// keys are integers or texts.
    case canonical
    case any
}

/// Reads CBOR with one encoding for each value: definite lengths and shortest heads (RFC 8949 §4.2.1, CTAP2 §8).
///
/// Two encodings of one credential key would be two keys for a store. And bytes that two readers read differently could be
/// signed by an authenticator that read them in another way.
struct CBORReader {
    /// CTAP2 allows four levels. The statement of a compound attestation has five.
    private static let maximumDepth = 8

    private let bytes: [UInt8]
    private let keys: CBORKeyOrder
    /// Where the next item begins. After `read` it is the end of that item.
    private(set) var position: Int
    private var depth = 0

    init(_ bytes: [UInt8], at position: Int = 0, keys: CBORKeyOrder) {
        (self.bytes, self.position, self.keys) = (bytes, position, keys)
    }

    /// Reads the next item. It ignores the bytes behind that.
    mutating func read() throws(WebAuthnError) -> CBOR {
        guard depth < Self.maximumDepth else { throw .malformedCBOR(.tooDeep) }
        depth += 1
        defer { depth -= 1 }
        let (major, argument) = try readHead()
        switch major {
        case 0:
            guard let value = Int64(exactly: argument) else { throw .malformedCBOR(.unsupportedItem) }
            return .integer(value)
        case 1:
            guard let value = Int64(exactly: argument) else { throw .malformedCBOR(.unsupportedItem) }
            return .integer(-1 - value)
        case 2: return .bytes(Array(try readBytes(argument)))
        case 3:
            guard let text = String(validating: try readBytes(argument), as: UTF8.self) else {
                throw .malformedCBOR(.notUTF8)
            }
            return .text(text)
        case 4: return .array(try readArray(argument))
        case 5: return .map(try readMap(argument))
        case 7 where argument == 20: return .bool(false)
        case 7 where argument == 21: return .bool(true)
        case 7 where argument == 22: return .null
        default: throw .malformedCBOR(.unsupportedItem)
        }
    }

    private mutating func readArray(_ argument: UInt64) throws(WebAuthnError) -> [CBOR] {
        let count = try count(argument, bytesEach: 1)
        var items: [CBOR] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try read()) }
        return items
    }

    private mutating func readMap(_ argument: UInt64) throws(WebAuthnError) -> CBORMap {
        let count = try count(argument, bytesEach: 2)
        var members: [CBORMap.Member] = []
        members.reserveCapacity(count)
        var seen: Set<ArraySlice<UInt8>> = []
        var last: ArraySlice<UInt8> = []
        for _ in 0..<count {
            let start = position
            let key = try read()
            guard key.integerValue != nil || key.textValue != nil else { throw .malformedCBOR(.unsupportedItem) }
            let encoded = bytes[start..<position]
            guard seen.insert(encoded).inserted else { throw .malformedCBOR(.repeatedKey) }
            if keys == .canonical, encoded.lexicographicallyPrecedes(last) { throw .malformedCBOR(.unsortedKeys) }
            last = encoded
            members.append(.init(key: key, value: try read()))
        }
        return CBORMap(members: members)
    }

    /// Reads the major type and its argument: a value, a length or a count.
    private mutating func readHead() throws(WebAuthnError) -> (major: UInt8, argument: UInt64) {
        guard position < bytes.count else { throw .malformedCBOR(.truncated) }
        let first = bytes[position]
        position += 1
        let (major, information) = (first >> 5, first & 0x1F)
        guard information >= 24 else { return (major, UInt64(information)) }
        // A tag, a float or a simple value of two bytes. The check of shortest heads would not be that of integers.
        guard major < 6 else { throw .malformedCBOR(.unsupportedItem) }
        guard information < 28 else { throw .malformedCBOR(information == 31 ? .indefiniteLength : .unsupportedItem) }
        let size = 1 << Int(information - 24)
        let argument = try readBytes(UInt64(size)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = size == 1 ? 24 : 1 << (4 * UInt64(size))
        guard argument >= least else { throw .malformedCBOR(.notShortest) }
        return (major, argument)
    }

    private mutating func readBytes(_ count: UInt64) throws(WebAuthnError) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw .malformedCBOR(.truncated) }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    /// Checks a count before memory is reserved for it.
    private func count(_ argument: UInt64, bytesEach: Int) throws(WebAuthnError) -> Int {
        guard argument <= UInt64((bytes.count - position) / bytesEach) else { throw .malformedCBOR(.truncated) }
        return Int(argument)
    }
}
