import SessionDomain
import SessionTokens

/// The members that a body's type asks for while it is decoded. What it never asks for is a mistake of the caller.
///
/// It belongs to one decoding and does not leave it.
final class KnownMembers {
    /// Members of responses that no request sets. A caller may send back what it has read.
    private static let ofResponses: Set<String> = ["id", "created_at", "updated_at", "secret_set"]

    private struct Object {
        let path: [any CodingKey]
        let members: Set<String>
        var known: Set<String> = []
    }

    /// In the order in which they were reached, outer ones first. An object that is decoded twice is one.
    private var objects: [Object] = []
    /// Their places by path, because a body can have thousands of objects.
    private var places: [String: Int] = [:]

    /// Decodes a value, and refuses members that its type does not know.
    ///
    /// - Throws: `DecodingError`; `Refusal.invalidField` that names the unknown member and the known one that it resembles.
    static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        let known = KnownMembers()
        let decoded = try JSONValueDecoder(value, at: [], known: known).decode(type)
        try known.refuseOthers()
        return decoded
    }

    func reach(_ members: [String: JSONValue], at path: [any CodingKey]) {
        let id = Self.id(path)
        guard places[id] == nil else { return }
        places[id] = objects.count
        objects.append(Object(path: path, members: Set(members.keys)))
    }

    func ask(for name: String, at path: [any CodingKey]) {
        if let place = places[Self.id(path)] { objects[place].known.insert(name) }
    }

    private static func id(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
    }

    private func refuseOthers() throws(Refusal) {
        for object in objects {
            let unknown = object.members.subtracting(object.known).subtracting(Self.ofResponses).min()
            guard let unknown else { continue }
            let field = Refusal.path(object.path + [MemberKey(stringValue: unknown)])
            throw .invalidField(field, "is unknown" + Refusal.hint(at: unknown, among: object.known))
        }
    }
}

extension Refusal {
    /// `; did you mean "status"?` if a known name is close to the unknown one, otherwise nothing.
    static func hint(at unknown: String, among known: Set<String>) -> String {
        let nearest = known.sorted().map { ($0, EditDistance.between(unknown, $0)) }.min { $0.1 < $1.1 }
        guard let (name, distance) = nearest, distance <= max(2, name.count / 3), distance < name.count else {
            return ""
        }
        return "; did you mean \(name)?"
    }
}

/// The number of Unicode scalars to insert, remove or replace to get from one name to another one. One character can be as
/// long as a body.
enum EditDistance {
    private static let maximumLength = 64

    static func between(_ first: String, _ second: String) -> Int {
        let first = Array(first.unicodeScalars.prefix(maximumLength))
        let second = Array(second.unicodeScalars.prefix(maximumLength))
        var row = Array(0...second.count)
        for (index, scalar) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in second.indices {
                let cost = min(row[place] + 1, row[place + 1] + 1, diagonal + (second[place] == scalar ? 0 : 1))
                (diagonal, row[place + 1]) = (row[place + 1], cost)
            }
        }
        return row[second.count]
    }
}
