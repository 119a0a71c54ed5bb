import Foundation
import Testing

/// A body frozen as JSON: what other clients and servers of this protocol read and write.
struct Golden<Body: Codable & Equatable> {
    let json: String

    init(_ body: Body.Type, _ json: String) {
        self.json = json
    }

    /// The JSON reads as the value, and the value writes the same JSON again, member for member.
    func expect(_ value: Body, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try decode(json) == value, sourceLocation: sourceLocation)
        let written = try JSONEncoder().encode(value)
        #expect(try object(written) == object(Data(json.utf8)), sourceLocation: sourceLocation)
    }

    /// A member that nobody here knows, at the top and in every nested object, is passed over.
    func expectUnknownMembersTolerated(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let json = json.replacingOccurrences(of: "{", with: #"{"x_tomorrow":{"a":[1,null]},"#)
            .replacingOccurrences(of: ",}", with: "}").replacingOccurrences(of: ", }", with: "}")
        #expect(try decode(json) == decode(self.json), sourceLocation: sourceLocation)
    }

    /// Without any one of these members, or with `null` for it, decoding fails and says which one it was.
    func expectRequired(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in names {
            var members = try object(Data(json.utf8))
            #expect(members[name] != nil, "\(name) is no member of the golden JSON", sourceLocation: sourceLocation)
            members[name] = nil
            #expect(try failingField(members) == name, sourceLocation: sourceLocation)
            members[name] = NSNull()
            #expect(try failingField(members) == name, sourceLocation: sourceLocation)
        }
    }

    /// With a value of another type in this member, decoding fails and says which one it was.
    func expectTyped(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in names {
            var members = try object(Data(json.utf8))
            members[name] = [["unexpected"]] as NSArray
            #expect(try failingField(members) == name, sourceLocation: sourceLocation)
        }
    }

    private func decode(_ json: String) throws -> Body {
        try JSONDecoder().decode(Body.self, from: Data(json.utf8))
    }

    private func object(_ data: Data) throws -> [String: NSObject] {
        try #require(JSONSerialization.jsonObject(with: data) as? [String: NSObject])
    }

    /// The first member on the path of the decoding error; `nil` when decoding succeeds.
    private func failingField(_ members: [String: NSObject]) throws -> String? {
        do {
            _ = try JSONDecoder().decode(Body.self, from: JSONSerialization.data(withJSONObject: members))
            return nil
        } catch DecodingError.keyNotFound(let key, let context) {
            return (context.codingPath + [key]).first?.stringValue
        } catch DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context) {
            return context.codingPath.first?.stringValue
        }
    }
}
