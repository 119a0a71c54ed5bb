internal import Foundation

/// The members of a JSON object, read one by one. A member that is `null` is one that is not there.
package struct JSONObject: Sendable {
    private let members: [String: JSONValue]

    package init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// Whether there is such a member at all, `null` included.
    package func contains(_ name: String) -> Bool { members[name] != nil }

    /// - Throws: `DecodingError` when it is missing or no string.
    package func string(_ name: String) throws -> String {
        guard let value = try stringIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` when it is there and no string.
    package func stringIfPresent(_ name: String) throws -> String? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` when it is missing or no number.
    package func number(_ name: String) throws -> Double {
        guard let value = try numberIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` when it is there and no number.
    package func numberIfPresent(_ name: String) throws -> Double? {
        switch members[name] {
        case nil, .null: return nil
        case .int(let value): return Double(value)
        case .double(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` when it is there and no object.
    package func objectIfPresent(_ name: String) throws -> JSONObject? {
        switch members[name] {
        case nil, .null: return nil
        case .object(let value): return JSONObject(value)
        default: throw Self.mismatch(name)
        }
    }

    /// One string, or several (RFC 7519 §4.1.3).
    ///
    /// - Throws: `DecodingError` when it is there and neither.
    package func stringsIfPresent(_ name: String) throws -> [String]? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let value): return [value]
        case .array(let values):
            return try values.map { value in
                guard let text = value.stringValue else { throw Self.mismatch(name) }
                return text
            }
        default: throw Self.mismatch(name)
        }
    }

    private static func mismatch(_ name: String) -> DecodingError {
        DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(name) is missing or of another type."))
    }
}

/// What is read out of a token often enough to do it without a decoder.
package protocol JSONObjectReadable {
    init(_ object: JSONObject) throws
}
