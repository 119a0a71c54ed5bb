internal import SessionTokens

/// Any JSON value (RFC 8259 §3), such as a claim of an access token.
public enum PreludeJSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits into 64 bits.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([PreludeJSONValue])
    /// An object. Its members have no order.
    case object([String: PreludeJSONValue])

    /// The value of a string; `nil` for any other value.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }
}

extension PreludeJSONValue: Codable {
    public init(from decoder: any Decoder) throws { self.init(try JSONValue(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try JSONValue(self).encode(to: encoder) }

    init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map(PreludeJSONValue.init))
            case .object(let members): .object(members.mapValues(PreludeJSONValue.init))
            }
    }
}

extension JSONValue {
    fileprivate init(_ value: PreludeJSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map(JSONValue.init))
            case .object(let members): .object(members.mapValues(JSONValue.init))
            }
    }
}
