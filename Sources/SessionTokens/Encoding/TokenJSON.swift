public import Foundation

/// Writes the JSON of tokens and reads the JSON of tokens and request bodies.
///
/// Keys are sorted and slashes are not escaped, so equal claims give equal bytes.
public enum TokenJSON {
    public static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Writes an object without an encoder, for tokens and responses that are written with every request. A `.double` that
    /// is not finite becomes `null`.
    public static func write(_ members: [String: JSONValue]) -> Data { JSONWriter.write(members) }

    /// Writes an object without an encoder and a dictionary.
    public static func write(_ value: some JSONWritable) -> Data { writeSorted(value.write) }

    /// The same as a text, for a store.
    public static func text(_ value: some JSONWritable) -> String {
        String(decoding: JSONWriter.writeSorted(value.write), as: UTF8.self)
    }

    /// Writes an object without a dictionary. The closure writes the members, sorted by name.
    public static func writeSorted(_ members: (inout JSONWriter) -> Void) -> Data {
        Data(JSONWriter.writeSorted(members))
    }

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
