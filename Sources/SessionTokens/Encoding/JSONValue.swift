internal import Foundation

/// Any JSON value, for claims with an unknown structure.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue {
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }
}

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

/// The members of a JSON object, in the order of the text.
///
/// A token has about ten members with short names. To compare these names costs less than to hash each one twice. Longer
/// objects have a set of their names as well, so that a text with many members takes no quadratic time.
struct JSONMembers: Sendable {
    /// The most members that are compared one by one.
    private static let maximumCompared = 16

    private var members: [(name: String, value: JSONValue)] = []
    private var names: Set<String> = []

    init() { members.reserveCapacity(12) }

    init(_ members: [String: JSONValue]) {
        self.members = members.map { (name: $0.key, value: $0.value) }
    }

    var isEmpty: Bool { members.isEmpty }

    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// Adds a member.
    ///
    /// - Returns: `false` if the object has a member with this name.
    mutating func add(_ name: String, _ value: JSONValue) -> Bool {
        if members.count >= Self.maximumCompared {
            if names.isEmpty { names = Set(members.lazy.map(\.name)) }
            guard names.insert(name).inserted else { return false }
        } else if members.contains(where: { $0.name == name }) {
            return false
        }
        members.append((name: name, value: value))
        return true
    }
}
