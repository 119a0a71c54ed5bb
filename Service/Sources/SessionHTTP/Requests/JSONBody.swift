package import Foundation
import Hummingbird
package import SessionDomain
import SessionTokens

extension Request {
    /// Reads a JSON body.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the wrong field; `HTTPError` for 413 and 415.
    func decode<Body: Decodable>(_ type: Body.Type) async throws -> Body {
        guard let body = try await decodeIfPresent(type) else {
            throw Refusal.invalidField("body", "must be a JSON object")
        }
        return body
    }

    /// Reads a JSON body of the management API, whose type knows all members.
    ///
    /// - Throws: As `decode(_:)`; `Refusal.invalidField` for a member that the type does not know.
    func decodeExactly<Body: Decodable>(_ type: Body.Type) async throws -> Body {
        guard let body = try await decodeExactlyIfPresent(type) else {
            throw Refusal.invalidField("body", "must be a JSON object")
        }
        return body
    }

    /// Reads a JSON body of the management API that may be empty.
    ///
    /// - Returns: `nil` for an empty body.
    func decodeExactlyIfPresent<Body: Decodable>(_ type: Body.Type) async throws -> Body? {
        try await jsonData().map { data in try JSONBody.readExactly(type, from: data) }
    }

    /// Reads a JSON body that may be empty. An empty body may have any content type.
    ///
    /// - Returns: `nil` for an empty body.
    func decodeIfPresent<Body: Decodable>(_ type: Body.Type) async throws -> Body? {
        try await jsonData().map { data in try JSONBody.read(type, from: data) }
    }

    /// - Returns: `nil` for an empty body.
    private func jsonData() async throws -> Data? {
        // A refresh usually has no body. To read an empty one takes ten changes of the task.
        if headers.first(.contentLength) == "0" { return nil }
        let data = try await bodyData()
        guard !data.isEmpty else { return nil }
        let mediaType = headers.first(.contentType)?.split(separator: ";", omittingEmptySubsequences: false).first
        guard mediaType?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json" else {
            throw HTTPError(.unsupportedMediaType)
        }
        return data
    }
}

/// Decodes bodies as strict JSON: no duplicate members, no other encoding than UTF-8.
package enum JSONBody {
    package static func read<Body: Decodable>(_ type: Body.Type, from data: Data) throws(Refusal) -> Body {
        do {
            let value = try TokenJSON.decode(JSONValue.self, from: data)
            return try JSONValueDecoder(value, at: [], known: nil).decode(type)
        } catch let error as DecodingError {
            throw Refusal(error)
        } catch {
            throw .invalidField("body", "is not valid")
        }
    }

    /// Reads a body and refuses members that its type does not know.
    static func readExactly<Body: Decodable>(_ type: Body.Type, from data: Data) throws(Refusal) -> Body {
        do {
            return try KnownMembers.decode(type, from: try TokenJSON.decode(JSONValue.self, from: data))
        } catch let error as DecodingError {
            throw Refusal(error)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .invalidField("body", "is not valid")
        }
    }
}

extension Refusal {
    /// Names the wrong field. The text never contains a value of the body.
    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self = .invalidField(Self.path(context.codingPath + [key]), "is required")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self = .invalidField(Self.path(context.codingPath), "must be \(Self.name(of: type))")
        case .dataCorrupted(let context):
            if let refusal = context.underlyingError as? JSONError {
                self = .invalidField("body", Self.problem(refusal))
            } else {
                self = .invalidField(Self.path(context.codingPath), "is not valid")
            }
        @unknown default:
            self = .invalidField("body", "is not valid")
        }
    }

    static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "body" }
        let path = keys.map { $0.intValue.map { "[\($0)]" } ?? "." + MemberName.shown($0.stringValue) }.joined()
        return path.hasPrefix(".") ? String(path.dropFirst()) : path
    }

    private static func problem(_ refusal: JSONError) -> String {
        switch refusal {
        case .notUTF8: "must be UTF-8"
        case .tooDeep(let limit): "is nested deeper than \(limit) levels"
        case .repeatedMember(let name):
            MemberName.isPlain(name) ? "has the member \(name) twice" : "has a member twice"
        case .nullCharacter: "must not contain U+0000"
        case .tooManyMarks: "has more than \(CombiningMarks.maximum) combining marks in a row"
        case .malformed(let reason): "is not valid JSON: \(reason)"
        }
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
