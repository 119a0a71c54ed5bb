import SessionDomain
import SessionTokens

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
