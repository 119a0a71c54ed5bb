import Foundation
import Testing

/// The fixed JSON of a body. Other clients and servers of this protocol depend on it.
struct Golden<Body: Codable & Equatable> {
    let json: String

    init(_ body: Body.Type, _ json: String) {
        self.json = json
    }

    /// Checks that the JSON decodes to the value and that the value encodes to the same JSON.
    func expect(_ value: Body, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try decode(json) == value, sourceLocation: sourceLocation)
        let written = try JSONEncoder().encode(value)
        #expect(try object(written) == object(Data(json.utf8)), sourceLocation: sourceLocation)
    }

    /// Checks that unknown members are ignored, at the top level and in every nested object.
    func expectUnknownMembersTolerated(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let json = json.replacingOccurrences(of: "{", with: #"{"x_tomorrow":{"a":[1,null]},"#)
            .replacingOccurrences(of: ",}", with: "}").replacingOccurrences(of: ", }", with: "}")
        #expect(try decode(json) == decode(self.json), sourceLocation: sourceLocation)
    }

    /// Checks that decoding fails and names the member if one of these members is missing or `null`.
    func expectRequired(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in names {
            var members = try object(Data(json.utf8))
            #expect(members[name] != nil, "\(name) is not a member of the golden JSON", sourceLocation: sourceLocation)
            members[name] = nil
            #expect(try failingField(members) == name, sourceLocation: sourceLocation)
            members[name] = NSNull()
            #expect(try failingField(members) == name, sourceLocation: sourceLocation)
        }
    }

    /// Checks that decoding fails and names the member if one of these members has another type.
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
