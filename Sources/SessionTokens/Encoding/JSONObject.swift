internal import Foundation

/// Reads the members of a JSON object by name and type. A `null` member counts as missing.
package struct JSONObject: Sendable {
    private let members: JSONMembers

    package init(_ members: [String: JSONValue]) { self.init(JSONMembers(members)) }

    init(_ members: JSONMembers) { self.members = members }

    /// Whether the member exists, even as `null`.
    package func contains(_ name: String) -> Bool { members[name] != nil }

    /// Whether the member exists and is `null`.
    package func isNull(_ name: String) -> Bool { members[name] == .null }

    /// - Throws: `DecodingError` if the member is missing or not a string.
    package func string(_ name: String) throws -> String {
        guard let value = try stringIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` if the member is not a string.
    package func stringIfPresent(_ name: String) throws -> String? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is missing or not a number.
    package func number(_ name: String) throws -> Double {
        guard let value = try numberIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` if the member is not a number.
    package func numberIfPresent(_ name: String) throws -> Double? {
        switch members[name] {
        case nil, .null: return nil
        case .int(let value): return Double(value)
        case .double(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is missing or not a whole number.
    package func integer(_ name: String) throws -> Int64 {
        guard let value = try integerIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` if the member is not a whole number.
    package func integerIfPresent(_ name: String) throws -> Int64? {
        switch members[name] {
        case nil, .null: return nil
        case .int(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is not a boolean.
    package func boolIfPresent(_ name: String) throws -> Bool? {
        switch members[name] {
        case nil, .null: return nil
        case .bool(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is not an array of objects.
    package func objectsIfPresent(_ name: String) throws -> [JSONObject]? {
        switch members[name] {
        case nil, .null: return nil
        case .array(let values):
            return try values.map { value in
                guard case .object(let members) = value else { throw Self.mismatch(name) }
                return JSONObject(members)
            }
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is not an object.
    package func objectIfPresent(_ name: String) throws -> JSONObject? {
        switch members[name] {
        case nil, .null: return nil
        case .object(let value): return JSONObject(value)
        default: throw Self.mismatch(name)
        }
    }

    /// One string, or an array of strings (RFC 7519 §4.1.3).
    ///
    /// - Throws: `DecodingError` if the member is neither.
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
        DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(name) is missing or has another type."))
    }
}

/// A type that reads its members without a decoder, for tokens that are read with every request.
package protocol JSONObjectReadable {
    init(_ object: JSONObject) throws
}
