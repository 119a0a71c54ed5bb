public import Foundation

/// Keys are sorted and slashes are not escaped, so equal claims give equal bytes.
extension TokenJSON {
    /// - Parameter isPretty: Whether each member gets a line, for people.
    public static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
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
}

/// Writes JSON values (RFC 8259) with sorted members and without white space, without an encoder, for tokens and responses
/// that are written with every request. Equal values give equal bytes.
public struct JSONWriter: Sendable {
    private var bytes: [UInt8] = []

    fileprivate static func write(_ members: [String: JSONValue]) -> Data {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(512)
        writer.write(members)
        return Data(writer.bytes)
    }

    /// Writes an object without a dictionary. The caller writes its members, sorted by name.
    static func writeSorted(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(512)
        writer.bytes.append(UInt8(ascii: "{"))
        members(&writer)
        writer.bytes.append(UInt8(ascii: "}"))
        return writer.bytes
    }

    /// Writes the next member of an object. A member without a value is left out.
    public mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        write(name)
        write(value)
    }

    public mutating func member(_ name: StaticString, _ value: Int64) {
        write(name)
        write(.int(value))
    }

    public mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        write(name)
        write(.bool(value))
    }

    public mutating func member(_ name: StaticString, strings: [String]) {
        write(name)
        write(.array(strings.map { .string($0) }))
    }

    /// Writes an object of strings as the next member.
    public mutating func member(_ name: StaticString, texts: [String: String]) {
        write(name)
        write(texts.mapValues { .string($0) })
    }

    /// Writes an array of objects as the next member.
    ///
    /// - Parameter members: Writes the members of one object, sorted by name.
    public mutating func member<Element>(
        _ name: StaticString, objects: [Element], _ members: (Element, inout JSONWriter) -> Void
    ) {
        write(name)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in objects.enumerated() {
            bytes.append(contentsOf: (index > 0 ? ",{" : "{").utf8)
            members(element, &self)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes an object as the next member.
    public mutating func member(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
        write(name)
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// - Parameter name: A name that needs no escape.
    private mutating func write(_ name: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func write(_ members: [String: JSONValue]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(name)
            bytes.append(UInt8(ascii: ":"))
            write(value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        // JSON has no infinite numbers, and no reader of JSON makes one.
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
        case .string(let value): write(value)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(value)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): write(members)
        }
    }

    /// Escapes what must be escaped, and nothing else (RFC 8259 §7).
    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Without a way out of the loop, the compiler compares many bytes at once.
            if utf8.reduce(0, { $0 &+ (Self.mustBeEscaped($1) ? 1 : 0) }) > 0 {
                for byte in utf8 { write(byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func write(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case ..<0x20: bytes += Array("\\u00".utf8) + [Self.hex[Int(byte >> 4)], Self.hex[Int(byte & 0x0F)]]
        default: bytes.append(byte)
        }
    }

    private static let hex = Array("0123456789abcdef".utf8)
}

/// A type that writes its members without an encoder, for rows and tokens that many calls write. The bytes are those of the
/// encoder.
public protocol JSONWritable: Encodable {
    /// Writes the members of an object, sorted by name.
    func write(into json: inout JSONWriter)
}
