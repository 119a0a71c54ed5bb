internal import Foundation

/// Reads the members of a JSON object by name and type. A `null` member counts as missing.
public struct JSONObject: Sendable {
    private let members: JSONMembers

    public init(_ members: [String: JSONValue]) { self.init(JSONMembers(members)) }

    init(_ members: JSONMembers) { self.members = members }

    /// Whether the member exists, even as `null`.
    public func contains(_ name: String) -> Bool { members[name] != nil }

    /// Whether the member exists and is `null`.
    public func isNull(_ name: String) -> Bool { members[name] == .null }

    /// - Throws: `DecodingError` if the member is missing or not a string.
    public func string(_ name: String) throws -> String {
        guard let value = try stringIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` if the member is not a string.
    public func stringIfPresent(_ name: String) throws -> String? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is missing or not a number.
    public func number(_ name: String) throws -> Double {
        guard let value = try numberIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` if the member is not a number.
    public func numberIfPresent(_ name: String) throws -> Double? {
        switch members[name] {
        case nil, .null: return nil
        case .int(let value): return Double(value)
        case .double(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is missing or not a whole number.
    public func integer(_ name: String) throws -> Int64 {
        guard let value = try integerIfPresent(name) else { throw Self.mismatch(name) }
        return value
    }

    /// - Throws: `DecodingError` if the member is not a whole number.
    public func integerIfPresent(_ name: String) throws -> Int64? {
        switch members[name] {
        case nil, .null: return nil
        case .int(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is not a boolean.
    public func boolIfPresent(_ name: String) throws -> Bool? {
        switch members[name] {
        case nil, .null: return nil
        case .bool(let value): return value
        default: throw Self.mismatch(name)
        }
    }

    /// - Throws: `DecodingError` if the member is not an array of objects.
    public func objectsIfPresent(_ name: String) throws -> [JSONObject]? {
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
    public func objectIfPresent(_ name: String) throws -> JSONObject? {
        switch members[name] {
        case nil, .null: return nil
        case .object(let value): return JSONObject(value)
        default: throw Self.mismatch(name)
        }
    }

    /// One string, or an array of strings (RFC 7519 §4.1.3).
    ///
    /// - Throws: `DecodingError` if the member is neither.
    public func stringsIfPresent(_ name: String) throws -> [String]? {
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
public protocol JSONObjectReadable {
    init(_ object: JSONObject) throws
}
