import SessionDomain
import SessionTokens

/// Decodes a type from a JSON value, so that no second parser reads the text. Can note each member that the type asks for.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    let known: KnownMembers?
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ value: JSONValue, at path: [any CodingKey], known: KnownMembers?) {
        self.value = value
        codingPath = path
        self.known = known
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // A type that takes any JSON knows all members.
        if let value = value as? Value { return value }
        return try Value(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: JSONValue].self) }
        known?.reach(members, at: codingPath)
        return KeyedDecodingContainer(MemberContainer<Key>(members: members, codingPath: codingPath, known: known))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        return ElementContainer(elements: elements, codingPath: codingPath, known: known)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(type) }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw mismatch(type) }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .double(let value): value
        case .int(let value): Double(value)
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    /// A number without a fraction. `60.0` is one, as for other decoders of JSON.
    private func integer<Number: FixedWidthInteger>() throws -> Number {
        let number: Number?
        switch value {
        case .int(let value): number = Number(exactly: value)
        case .double(let value):
            guard value.rounded() == value else { throw mismatch(Number.self) }
            number = Number(exactly: value)
        default: throw mismatch(Number.self)
        }
        guard let number else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: ""))
        }
        return number
    }
}

/// The name of a member, or the place of an element.
struct MemberKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONValue]
    let codingPath: [any CodingKey]
    let known: KnownMembers?

    var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool {
        known?.ask(for: key.stringValue, at: codingPath)
        return members[key.stringValue] != nil
    }

    private func decoder(_ key: Key) throws -> JSONValueDecoder {
        guard contains(key), let value = members[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: ""))
        }
        return JSONValueDecoder(value, at: codingPath + [key], known: known)
    }

    /// Whether an optional member is null.
    ///
    /// - Throws: `Refusal.invalidField` where all members are known: null would silently mean the default.
    func decodeNil(forKey key: Key) throws -> Bool {
        guard try decoder(key).decodeNil() else { return false }
        guard known == nil else {
            throw Refusal.invalidField(Refusal.path(codingPath + [key]), "must not be null; leave the member out")
        }
        return true
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        do {
            return try decoder(key).decode(type)
        } catch DecodingError.keyNotFound(let missing, let context) where !contains(key) {
            // The type continues with a value that is thrown away, so that all its members become known.
            let error = DecodingError.keyNotFound(missing, context)
            known?.miss(error)
            guard let value = known?.placeholder(type, at: codingPath + [key]) else { throw error }
            return value
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { JSONValueDecoder(.object(members), at: codingPath, known: known) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ElementContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    let known: KnownMembers?
    var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private mutating func next() throws -> JSONValueDecoder {
        let path = codingPath + [MemberKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(JSONValue.self, .init(codingPath: path, debugDescription: ""))
        }
        defer { currentIndex += 1 }
        return JSONValueDecoder(elements[currentIndex], at: path, known: known)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}
