package import Foundation

/// The one way tokens are written as JSON: sorted keys, so equal claims give equal bytes, and plain slashes. And the one
/// way in which JSON of strangers is read, tokens and bodies alike.
package enum TokenJSON {
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Decodes one reading of the bytes, or none: repeated members and other encodings than UTF-8 are refused.
    ///
    /// - Throws: `DecodingError`; its underlying error is a `JSONError` when the text itself is at fault.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let value = try JSONReader.read(data)
        if let value = value as? Value { return value }
        if case .object(let members) = value, let members = members as? Value { return members }
        return try JSONDecoder().decode(type, from: data)
    }

    /// The same without a decoder, for what is read with every request.
    package static func read<Value: JSONObjectReadable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard case .object(let members) = try JSONReader.read(data) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The JSON is no object."))
        }
        return try Value(JSONObject(members))
    }
}

/// Why a JSON text has no one reading, for answers that say so; the underlying error of the `DecodingError` that is thrown.
package enum JSONError: Error, Hashable {
    case notUTF8
    case tooDeep(limit: Int)
    /// The member's name, as whoever sent it chose it.
    case repeatedMember(String)
    /// U+0000 in a string: stores and libraries in C end a text there, so two texts could become one (RFC 8259 §9).
    case nullCharacter
    /// What breaks the grammar (RFC 8259), in words of ours.
    case malformed(String)
}
