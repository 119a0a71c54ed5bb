import Foundation
import Testing

@testable import SessionTokens

@Suite("JSON writer")
struct JSONWriterTests {
    private static let values: [String: JSONValue] = [
        "": "", "null": .null, "yes": .bool(true), "no": .bool(false), "whole": .int(.min), "large": .int(.max),
        "fraction": .double(0.1), "small": .double(.leastNonzeroMagnitude), "huge": .double(1.797e308),
        "negative": .double(-2.5),
        "text": "plain", "quote\"s": "a\"b\\c/d", "control": "\u{0}\u{1}\u{8}\t\n\r\u{1F}\u{7F}",
        "😀": "é\u{301}\u{2028}👩‍👩‍👧",
        "list": .array([.int(1), .array([]), .object([:]), "x"]),
        "object": .object(["b": .int(2), "a": .object(["z": .null])]),
    ]

    @Test("Foundation reads back what was written")
    func roundTrip() throws {
        let written = TokenJSON.write(Self.values)
        #expect(try JSONDecoder().decode([String: JSONValue].self, from: written) == Self.values)
    }

    @Test("The members are sorted, and there is no white space")
    func form() {
        let members: [String: JSONValue] = ["b": .array([.int(1), .int(2)]), "a": "x\ny", "B": .object([:])]
        #expect(String(decoding: TokenJSON.write(members), as: UTF8.self) == #"{"B":{},"a":"x\u000ay","b":[1,2]}"#)
    }

    @Test("Claims have the bytes that the encoder of Foundation writes")
    func sameBytes() throws {
        let claims: [String: JSONValue] = [
            "iss": "session.example.com", "aud": "app", "iat": .int(1_767_225_599), "scope": "a b/c",
            "email": "ü@example.com",
            "cnf": .object(["jkt": "x"]), "verified": .bool(true),
        ]
        #expect(try TokenJSON.encode(claims) == TokenJSON.write(claims))
    }

    @Test("A number that JSON does not have becomes null")
    func notFinite() {
        #expect(TokenJSON.write(["x": .double(.infinity)]) == Data(#"{"x":null}"#.utf8))
    }

    @Test("An object that is written member by member has the bytes of the same dictionary")
    func memberByMember() {
        let written = JSONWriter.writeSorted { object in
            object.member("a", "q\"\\/\u{1}ü")
            object.member("b", nil as String?)
            object.member("c", .min)
            object.member("d", true)
            object.member("e", nil as Bool?)
            object.member("f", strings: ["x", "\""])
            object.member("g", strings: [])
            object.member("h", texts: ["b": "2", "a": "1"])
            object.member("i", objects: [1, 2] as [Int64]) { number, object in
                object.member("n", number)
                object.member("o", object: { $0.member("p", "") })
            }
            object.member("j", objects: [] as [Int]) { _, _ in }
        }
        let members: [String: JSONValue] = [
            "a": "q\"\\/\u{1}ü", "c": .int(.min), "d": .bool(true), "f": .array(["x", "\""]), "g": .array([]),
            "h": .object(["a": "1", "b": "2"]),
            "i": .array([1, 2].map { .object(["n": .int($0), "o": .object(["p": ""])]) }), "j": .array([]),
        ]
        #expect(Data(written) == TokenJSON.write(members))
        #expect(JSONWriter.writeSorted { $0.member("a", nil as String?) } == Array("{}".utf8))
    }
}
