package import Foundation
package import Hummingbird
import NIOCore
package import SessionDomain
package import SessionTokens

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
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .invalidField("body", "is not valid")
        }
    }

    /// Reads a body and refuses members that its type does not know.
    static func readExactly<Body: Decodable>(_ type: Body.Type, from data: Data) throws(Refusal) -> Body {
        let value: JSONValue
        do {
            value = try TokenJSON.decode(JSONValue.self, from: data)
        } catch let error as DecodingError {
            throw Refusal(error)
        } catch {
            throw .invalidField("body", "is not valid")
        }
        return try readExactly(type, from: value)
    }

    static func readExactly<Body: Decodable>(_ type: Body.Type, from value: JSONValue) throws(Refusal) -> Body {
        do {
            return try KnownMembers.decode(type, from: value)
        } catch let error as DecodingError {
            throw Refusal(error)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .invalidField("body", "is not valid")
        }
    }
}

extension SettingsRecord {
    /// Replaces settings by those of an object, as a request of the management API does.
    ///
    /// - Throws: `Refusal.invalidField` for a member that is unknown or has a wrong type.
    package func replaced(by members: [String: JSONValue]) throws(Refusal) -> Self {
        try JSONBody.readExactly(SettingsBody<Self>.self, from: .object(members)).settings(replacing: self)
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

/// The members that a body's type asks for while it is decoded. What it never asks for is a mistake of the caller.
///
/// It belongs to one decoding and does not leave it.
final class KnownMembers {
    /// Members of responses that no request sets. A caller may send back what it has read. A response also has members that
    /// the call knows: an object without them is no response, such as one with `id` where the call has `except`.
    private static let ofResponses: Set<String> = ["id", "created_at", "updated_at", "secret_set"]

    private struct Object {
        let path: [any CodingKey]
        let members: [String: JSONValue]
        var known: Set<String> = []
    }

    /// In the order in which they were reached, outer ones first. An object that is decoded twice is one.
    private var objects: [Object] = []
    /// Their places by path, because a body can have thousands of objects.
    private var places: [String: Int] = [:]
    /// The first required member that the value does not have.
    private var missing: DecodingError?

    /// Decodes a value, and refuses members that its type does not know, before members that it does not have: one of these is
    /// often the other one, misspelled.
    ///
    /// - Throws: `DecodingError`; `Refusal.invalidField` that names the unknown member and the known one that it resembles.
    static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        let known = KnownMembers()
        do {
            let decoded = try JSONValueDecoder(value, at: [], known: known).decode(type)
            try known.refuseOthers()
            guard let missing = known.missing else { return decoded }
            throw missing
        } catch let error as DecodingError {
            throw known.missing ?? error
        } catch let refusal as Refusal {
            // A value of a known member, which comes after what the type does not know or does not get.
            try known.refuseOthers()
            throw known.missing ?? refusal
        }
    }

    func miss(_ error: DecodingError) { missing = missing ?? error }

    /// A value of a type, for a required member that is missing. `nil` if no empty value fits the type.
    func placeholder<Value: Decodable>(_ type: Value.Type, at path: [any CodingKey]) -> Value? {
        for empty: JSONValue in [.string(""), .int(0), .bool(false), .array([]), .object([:])] {
            if let value = try? JSONValueDecoder(empty, at: path, known: self).decode(type) { return value }
        }
        return nil
    }

    func reach(_ members: [String: JSONValue], at path: [any CodingKey]) {
        let id = Self.id(path)
        guard places[id] == nil else { return }
        places[id] = objects.count
        objects.append(Object(path: path, members: members))
    }

    func ask(for name: String, at path: [any CodingKey]) {
        if let place = places[Self.id(path)] { objects[place].known.insert(name) }
    }

    private static func id(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
    }

    private static func isOfResponse(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("id", .string), ("secret_set", .bool): true
        case ("created_at", .string(let time)), ("updated_at", .string(let time)): Timestamp(rfc3339: time) != nil
        default: false
        }
    }

    private func refuseOthers() throws(Refusal) {
        for object in objects {
            let hasKnown = object.members.keys.contains(where: object.known.contains)
            let others = object.members.filter { name, value in
                !object.known.contains(name) && !(hasKnown && Self.isOfResponse(name, value))
            }
            guard let unknown = others.keys.min() else { continue }
            let field = Refusal.path(object.path + [MemberKey(stringValue: unknown)])
            guard !hasKnown || !Self.ofResponses.contains(unknown) else {
                throw .invalidField(field, "must be as the response had it; or leave the member out")
            }
            throw .invalidField(field, "is unknown" + Refusal.hint(at: unknown, among: object.known))
        }
    }
}

extension Refusal {
    /// `; did you mean status?` if a known name is near to the unknown one, otherwise nothing. A hash is never a password.
    static func hint(at unknown: String, among known: Set<String>) -> String {
        if known.contains("password"), unknown.utf8.count <= 64, PasswordHashFormat.isNameOfHash(unknown) {
            return "; hashes of passwords cannot be imported"
        }
        return SimilarName.of(unknown, in: known).map { "; did you mean \($0)?" } ?? ""
    }
}

extension Request {
    /// The most bytes of a body, of JSON and of forms.
    static let maximumBody = 64 * 1024

    /// Reads the body.
    ///
    /// - Throws: `HTTPError` for 413; `Refusal.invalidField("body")` if it does not arrive whole.
    package func bodyData() async throws -> Data {
        do {
            return Data(try await body.collect(upTo: Self.maximumBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The client's side of the connection failed. This is not an error of the service.
            throw Refusal.invalidField("body", "is incomplete, or its length or chunks are wrong")
        }
    }
}

/// Limits short texts that the service only passes on or looks up.
enum TextLimit {
    static let maximumBytes = 256

    /// - Throws: `Refusal.invalidField` for a text of more than `maximumBytes` in UTF-8.
    static func check(_ text: String?, _ field: String) throws(Refusal) {
        guard (text?.utf8.count ?? 0) <= maximumBytes else {
            throw .invalidField(field, "must have at most \(maximumBytes) bytes")
        }
    }
}
