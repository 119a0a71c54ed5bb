package import Foundation

/// The one way tokens are written as JSON: sorted keys, so equal claims give equal bytes, and plain slashes.
package enum TokenJSON {
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Decodes one reading of the bytes, or none: repeated members and other encodings than UTF-8 are refused.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONStructure.check(data)
        return try JSONDecoder().decode(type, from: data)
    }
}
