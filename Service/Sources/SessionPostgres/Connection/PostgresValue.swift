internal import Foundation
internal import SessionDomain
internal import SessionTokens

/// A value of a column, in PostgreSQL's text format.
protocol PostgresValue: Sendable {
    var postgresText: String { get }

    /// `nil` for a text that is no value of this type.
    init?(postgresText text: String)
}

extension String: PostgresValue {
    var postgresText: String { self }

    init(postgresText text: String) { self = text }
}

extension Int64: PostgresValue {
    var postgresText: String { String(self) }

    init?(postgresText text: String) { self.init(text) }
}

extension Int: PostgresValue {
    var postgresText: String { String(self) }

    init?(postgresText text: String) { self.init(text) }
}

extension Bool: PostgresValue {
    var postgresText: String { self ? "t" : "f" }

    init?(postgresText text: String) {
        guard text == "t" || text == "f" else { return nil }
        self = text == "t"
    }
}

extension Timestamp: PostgresValue {
    /// Milliseconds since 1970.
    var postgresText: String { String(milliseconds) }

    init?(postgresText text: String) {
        guard let milliseconds = Int64(text) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension AppID: PostgresValue {
    var postgresText: String { rawValue }

    init?(postgresText text: String) { self.init(stored: text) }
}

extension Data: PostgresValue {
    /// The hexadecimal format of `bytea`.
    var postgresText: String { "\\x" + Hex.text(self) }

    init?(postgresText text: String) {
        guard text.hasPrefix("\\x"), let bytes = Hex.bytes(text.dropFirst(2)) else { return nil }
        self.init(bytes)
    }
}

extension PostgresValue where Self: RawRepresentable, RawValue == String {
    var postgresText: String { rawValue }

    init?(postgresText text: String) { self.init(rawValue: text) }
}

extension IdentifierType: PostgresValue {}
extension User.Status: PostgresValue {}
extension StoredSigningKey.Purpose: PostgresValue {}
extension KeyAlgorithm: PostgresValue {}
extension ManagementKey.Role: PostgresValue {}
extension ManagementKey.Creator: PostgresValue {}
extension QueuedMessage.Status: PostgresValue {}
extension GrantMode: PostgresValue {}
extension WebhookDelivery.Status: PostgresValue {}
extension Webhook.Status: PostgresValue {}

/// Pairs of hexadecimal digits.
private enum Hex {
    static func text(_ bytes: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(ascii: "a") <= $0 ? $0 &- 87 : $0 &- 48 }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// A value that is stored as JSON text.
enum StoredJSON {
    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try TokenJSON.encode(value), as: UTF8.self)
    }

    /// The routes that rejected a message. Nearly all messages have none.
    static func text(_ routes: Set<Int>) throws -> String { routes.isEmpty ? "[]" : try text(routes.sorted()) }

    /// Rows that many calls write need no encoder.
    static func text(_ value: some JSONWritable) -> String { TokenJSON.text(value) }

    static func value<Value: Decodable & JSONObjectReadable>(_ text: String) throws -> Value {
        guard let value = try? TokenJSON.read(Value.self, from: Data(text.utf8)) else {
            throw StoreError.unavailable("stored \(Value.self) is not the JSON it was written as")
        }
        return value
    }

    static func value<Value: Decodable>(_ text: String) throws -> Value {
        do {
            // This is not the strict reader for requests: what was written must be readable, however deep it is nested.
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw StoreError.unavailable("stored \(Value.self) is not the JSON it was written as")
        }
    }
}
