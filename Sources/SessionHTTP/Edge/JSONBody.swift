import Foundation
import Hummingbird
import NIOCore
import SessionDomain

/// The limits of what is read.
enum BodyLimit {
    static let bytes = 64 * 1024
    static let headerBytes = 16 * 1024
    static let depth = 32
}

extension Request {
    /// Reads a JSON body. Every way it can be wrong has an answer that names the field.
    func decode<Body: Decodable>(_ type: Body.Type) async throws -> Body {
        guard let body = try await decodeIfPresent(type) else {
            throw Refusal.invalidField("body", "must be a JSON object")
        }
        return body
    }

    /// The same, where an empty body is legal; its content type does not matter then.
    func decodeIfPresent<Body: Decodable>(_ type: Body.Type) async throws -> Body? {
        let data = try await bodyData()
        guard !data.isEmpty else { return nil }
        let mediaType = headers.single("content-type")?.split(separator: ";").first
        guard mediaType?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json" else {
            throw HTTPError(.unsupportedMediaType)
        }
        guard String(validating: data, as: UTF8.self) != nil else {
            throw Refusal.invalidField("body", "must be UTF-8")
        }
        guard JSONDepth.measure(data) <= BodyLimit.depth else {
            throw Refusal.invalidField("body", "is nested deeper than \(BodyLimit.depth) levels")
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw Refusal(error)
        }
    }

    private func bodyData() async throws -> Data {
        do {
            return Data(try await body.collect(upTo: BodyLimit.bytes).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
    }
}

/// How deep the brackets of a JSON text go, strings left out.
enum JSONDepth {
    static func measure(_ text: Data) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

extension Refusal {
    /// Names the field a body is wrong in; never quotes its value.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self = .invalidField(Self.path(context.codingPath + [key]), "is required")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self = .invalidField(Self.path(context.codingPath), "must be \(Self.name(of: type))")
        case .dataCorrupted(let context):
            let isSyntax = context.codingPath.isEmpty
            self = .invalidField(Self.path(context.codingPath), isSyntax ? "is not valid JSON" : "is not valid")
        @unknown default:
            self = .invalidField("body", "is not valid")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "body" }
        return keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "a boolean"
        case is any FixedWidthInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is any ExpressibleByDictionaryLiteral.Type: "an object"
        default: "\(type)".hasPrefix("Array") ? "an array" : "an object"
        }
    }
}
