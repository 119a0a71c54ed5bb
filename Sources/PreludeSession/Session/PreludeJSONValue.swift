internal import SessionTokens

/// Any JSON value (RFC 8259 §3), such as a claim of an access token.
public enum PreludeJSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that 64 bits hold.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// A text.
    case string(String)
    /// Values in their order.
    case array([PreludeJSONValue])
    /// Values by name, in no order.
    case object([String: PreludeJSONValue])

    /// The text of a string; `nil` for anything else.
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
