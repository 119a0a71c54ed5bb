import Foundation
import SessionTokens
import Testing

/// Strict JSON decoding: every accepted text has one interpretation.
@Suite("Token JSON")
struct TokenJSONTests {
    private func decode(_ json: String) throws -> JSONValue {
        try TokenJSON.decode(JSONValue.self, from: Data(json.utf8))
    }

    @Test("Members are sorted and slashes are not escaped, so equal claims give equal bytes")
    func encoding() throws {
        let json = try TokenJSON.encode(["b": "x/y", "a": "é"] as [String: JSONValue])
        #expect(String(decoding: json, as: UTF8.self) == #"{"a":"é","b":"x/y"}"#)
    }

    // Proves: P5
    @Test(
        "A member that appears twice in one object is rejected (RFC 7515 §4, RFC 7519 §4)",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1 , "\u0061" : 2}"#, #"{"\u0061":1,"a":2}"#,
            #"{"x":{"a":1,"a":2}}"#, #"[{"a":1},{"b":1,"b":2}]"#, #"{"":1,"":2}"#, #"{"a\"":1,"a\u0022":2}"#,
            "{\"a\"\t\n\r :1,\"a\":2}", #"{"\\":1,"\\":2}"#,
        ]
    )
    func repeatedMember(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    @Test(
        "Members with similar names are different members",
        arguments: [
            #"{"a":1,"A":2}"#, #"{"a":{"a":1},"b":{"a":2}}"#, #"{"a":"a","b":"a"}"#, #"["a","a"]"#, #"{"a":["a","a"]}"#,
            #"{"a":"x\":\"a","b":1}"#, #"{"a:":1,"a":2}"#, #"{"a\\":1,"a":2}"#, #"{"{":1,"}":2,"[":3}"#,
        ]
    )
    func differentMembers(_ json: String) throws {
        let value = try decode(json)
        #expect(try decode(String(decoding: TokenJSON.encode(value), as: UTF8.self)) == value)
    }

    @Test("Nesting deeper than 32 levels is rejected")
    func depth() throws {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try decode(deepest)
        #expect(throws: DecodingError.self) { try decode("[\(deepest)]") }
        #expect(throws: DecodingError.self) { try decode(String(repeating: "[", count: 8000)) }
    }

    @Test("Encodings other than UTF-8 are rejected (RFC 8725 §3.7, J6)")
    func encodings() throws {
        let json = #"{"a":"é"}"#
        let withMark = Data([0xEF, 0xBB, 0xBF]) + Data(json.utf8)
        let utf16 = try #require(json.data(using: .utf16LittleEndian))
        let latin1 = try #require(json.data(using: .isoLatin1))
        for data in [withMark, utf16, latin1, Data()] {
            #expect(throws: DecodingError.self) { try TokenJSON.decode(JSONValue.self, from: data) }
        }
    }

    @Test(
        "Incomplete JSON is rejected at every position",
        arguments: [
            "{", #"{""#, #"{"a"#, #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#, #"{"\"#, #"{"\u00"#, "]", "}", #"""#,
        ]
    )
    func brokenOff(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) }
    }

    // Proves: P5
    @Test(
        "U+0000 is rejected in values and in names (RFC 8259 §9)",
        arguments: [#""\u0000""#, #"{"a":"4711\u0000x"}"#, #"{"a\u0000":1}"#]
    )
    func nullCharacter(_ json: String) {
        let error = #expect(throws: DecodingError.self) { try decode(json) }
        guard case .dataCorrupted(let context) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(context.underlyingError as? JSONError == .nullCharacter)
    }

    @Test("More combining marks in a row than any text has are rejected, because comparing them takes long (UAX #15)")
    func combiningMarks() throws {
        for mark in ["\u{301}", #"\u0316"#, "\u{1D165}"] {
            for json in [#"{"a@":1}"#, #"{"a":"b@c"}"#, #"["@"]"#] {
                func text(_ count: Int) -> String {
                    json.replacingOccurrences(of: "@", with: String(repeating: mark, count: count))
                }
                #expect(throws: Never.self) { try decode(text(CombiningMarks.maximum)) }
                let error = #expect(throws: DecodingError.self) { try decode(text(CombiningMarks.maximum + 1)) }
                guard case .dataCorrupted(let context) = error else {
                    return #expect(Bool(false), "\(String(describing: error))")
                }
                #expect(context.underlyingError as? JSONError == .tooManyMarks)
            }
        }
        let words = String(repeating: "a" + String(repeating: "\u{301}", count: 30), count: 100)
        #expect(try decode("\"\(words)\"") == .string(words))
    }

    @Test("An escaped backslash before u0000 is accepted")
    func escapedBackslash() throws {
        #expect(try decode(#""\\u0000""#) == .string(#"\u0000"#))
    }

    @Test(
        "The error names the fault of the text",
        arguments: [
            (#"{"a":1,"\u0061":2}"#, JSONError.repeatedMember("a")), (#"[1,]"#, .malformed("a value is missing")),
            (String(repeating: "[", count: 33), .tooDeep(limit: 32)), ("\u{FEFF}{}", .malformed("a value is missing")),
            (#""\ud83d\u0041""#, .malformed("an unpaired surrogate")),
            (#""\udca9""#, .malformed("an unpaired surrogate")),
        ])
    func reasons(_ json: String, expected: JSONError) {
        let error = #expect(throws: DecodingError.self) { try decode(json) }
        guard case .dataCorrupted(let context) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(context.underlyingError as? JSONError == expected)
    }

    /// The members of an object, read without a decoder.
    private struct Members: JSONObjectReadable {
        let object: JSONObject
        init(_ object: JSONObject) throws { self.object = object }
    }

    @Test("An object that is read without a decoder has the same members, of any number")
    func members() throws {
        for count in [0, 1, 15, 16, 17, 40] {
            let names = (0..<count).map { "member \($0)" }
            let json = "{" + names.map { #""\#($0)":"\#($0)""# }.joined(separator: " ,\n") + "}"
            let object = try TokenJSON.read(Members.self, from: Data(json.utf8)).object
            for name in names { #expect(try object.string(name) == name) }
            #expect(!object.contains("another"))
        }
    }

    @Test("A repeated member is rejected without a decoder, too, at any position and in any spelling")
    func repeatedMembers() throws {
        for count in [1, 15, 16, 17, 40] {
            for repeated in [0, count / 2, count - 1] {
                for name in ["m\(repeated)", "\\u006d\(repeated)"] {
                    let members = (0..<count).map { #""m\#($0)":{}"# } + [#""\#(name)":1"#]
                    let json = Data("{\(members.joined(separator: ","))}".utf8)
                    #expect(throws: DecodingError.self) { try TokenJSON.read(Members.self, from: json) }
                }
            }
        }
        for json in [#"{"é":1,"e\u0301":2}"#, #"{"a":{"b":1,"b":2}}"#, "[]", "1", #"{"a":1}{"#, #"{"a":1,}"#, ""] {
            #expect(throws: DecodingError.self) { try TokenJSON.read(Members.self, from: Data(json.utf8)) }
        }
    }

    @Test("Strings with and without escapes have the same value")
    func strings() throws {
        for (json, value) in [
            (#""""#, ""), (#""a b""#, "a b"), (#""\"a\"""#, #""a""#), (#""a\\""#, #"a\"#), (#""é/\u00e9""#, "é/é"),
        ] {
            #expect(try decode(json) == .string(value))
            #expect(try decode("[\(json),\(json)]") == .array([.string(value), .string(value)]))
        }
        for json in ["\"a\tb\"", #""a"#, #""a\""#, #""\"#, "\"a\u{1F}\\n\""] {
            #expect(throws: DecodingError.self) { try decode(json) }
        }
    }

    @Test("Any value is unchanged after decoding and encoding")
    func anyValue() throws {
        let json = #"{"a":[1,-2,2.5,true,false,null,"x",{}],"big":9007199254740993}"#
        let value = try decode(json)
        #expect(try String(decoding: TokenJSON.encode(value), as: UTF8.self) == json)
    }
}
