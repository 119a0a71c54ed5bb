internal import Foundation

/// What a JSON decoder lets through in silence and a token must not have: one member twice, another encoding, no bottom.
///
/// Of two equal members some parsers take the first and some the last, so two readers of one token could see two
/// tokens (RFC 7515 §4, RFC 7519 §4). Grammar is left to the decoder that runs afterwards.
struct JSONStructure {
    /// The deepest nesting that is looked at.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0
    /// The names seen in each open object; an open array has none.
    private var open: [Set<String>] = []

    /// Throws when the text is not UTF-8 (RFC 8725 §3.7), nests too deep, or repeats a member of an object.
    static func check(_ data: Data) throws {
        var structure = JSONStructure(bytes: Array(data))
        try structure.check()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func check() throws {
        // UTF-16 and UTF-32 start with a byte order mark or have a zero in every JSON punctuation.
        guard let first = bytes.first, first < 0x80, !bytes.contains(0) else { throw Self.corrupted("not UTF-8") }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < Self.maximumDepth else { throw Self.corrupted("nested too deep") }
                open.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = open.popLast()
            case UInt8(ascii: "\""):
                try checkString()
            default: break
            }
        }
    }

    private mutating func checkString() throws {
        let start = position - 1
        var isEscaped = false
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") {
                isEscaped = true
                position += 1
            }
            position += 1
        }
        position = min(position + 1, bytes.count)
        guard isFollowedByColon, !open.isEmpty else { return }

        let literal = bytes[start..<position]
        // An escaped name is the same name: "\u0061lg" is "alg".
        let name =
            try isEscaped
            ? JSONDecoder().decode(String.self, from: Data(literal))
            : String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
        guard open[open.count - 1].insert(name).inserted else { throw Self.corrupted("a member appears twice") }
    }

    private var isFollowedByColon: Bool {
        let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        return bytes[position...].first { !whiteSpace.contains($0) } == UInt8(ascii: ":")
    }

    private static func corrupted(_ reason: String) -> DecodingError {
        DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The JSON is refused: \(reason)."))
    }
}
