import Foundation
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Members that a type knows")
struct KnownMembersTests {
    private struct Body: Decodable, Equatable {
        struct Entry: Decodable, Equatable { let name: String }

        let text: String
        var count: Int?
        var ratio: Double?
        var isSet: Bool?
        var entries: [Entry]?
        var nested: Entry?
        var map: [String: Int]?
    }

    private struct Account: Decodable { let password: String? }

    @Test(
        "A hash is never taken for a misspelled password",
        arguments: ["password_hash", "passwordHash", "password_digest", "hash", "bcrypt", "password_argon2"])
    func hash(name: String) {
        #expect(
            throws: Refusal.invalidField(name, "is unknown; hashes of passwords cannot be imported")
        ) { try JSONBody.readExactly(Account.self, from: Data(#"{"\#(name)":"$2b$12$abc"}"#.utf8)) }
        #expect(throws: Refusal.invalidField("pasword", "is unknown; did you mean password?")) {
            try JSONBody.readExactly(Account.self, from: Data(#"{"pasword":"x"}"#.utf8))
        }
    }

    private func read(_ json: String) throws(Refusal) -> Body {
        try JSONBody.readExactly(Body.self, from: Data(json.utf8))
    }

    @Test(
        "A body of known members is read as by any decoder",
        arguments: [
            #"{"text":"a"}"#, #"{"text":"a","count":-3,"ratio":1.5,"isSet":true}"#,
            #"{"text":"a","count":60.0,"ratio":2}"#,
            #"{"text":"a","entries":[{"name":"b"},{"name":"c"}],"nested":{"name":"d"}}"#,
            #"{"text":"a","entries":[],"map":{"x":1,"any name":2}}"#,
        ])
    func known(_ json: String) throws {
        #expect(try read(json) == JSONDecoder().decode(Body.self, from: Data(json.utf8)))
    }

    @Test(
        "A mistake is refused by its path, an unknown member with the known one that it resembles",
        arguments: [
            (#"{"text":"a","coutn":1}"#, "coutn is unknown; did you mean count?"),
            (#"{"text":"a","Text":"a"}"#, "Text is unknown; did you mean text?"),
            (#"{"text":"a","completely_different":1}"#, "completely_different is unknown"),
            (
                #"{"text":"a","entries":[{"name":"b"},{"name":"c","nmae":"d"}]}"#,
                "entries[1].nmae is unknown; did you mean name?"
            ),
            (#"{"text":"a","nested":{"name":"b","x":1}}"#, "nested.x is unknown"),
            (#"{"text":"a","a secret value":1}"#, "[?] is unknown"),
            (#"{"text":"a","cou":1}"#, "cou is unknown; did you mean count?"),
            (#"{"id":"a"}"#, "id is unknown"),
            (#"{"tex":"a"}"#, "tex is unknown; did you mean text?"),
            (#"{"text":"a","entries":[{"nam":"b"}]}"#, "entries[0].nam is unknown; did you mean name?"),
            (#"{"text":"a","count":null}"#, "count must not be null; leave the member out"),
            (#"{"text":"a","nested":null}"#, "nested must not be null; leave the member out"),
            (#"{"text":"a","entries":[null]}"#, "entries[0] must be an object"),
            (#"{"text":"a","count":1.5}"#, "count must be a whole number"),
            (#"{"text":"a","count":99999999999999999999}"#, "count is not valid"),
        ])
    func unknown(_ json: String, message: String) {
        let refusal = #expect(throws: Refusal.self) { try read(json) }
        guard case .invalidField(let field, let problem) = refusal else {
            return #expect(Bool(false), "\(refusal as Any)")
        }
        #expect("\(field) \(problem)" == message)
    }

    @Test("A name of one long character costs no time, and an empty name resembles none")
    func unusualNames() {
        #expect(Refusal.hint(at: "te\(String(repeating: "\u{301}", count: 1000))xt", among: ["text"]) == "")
        #expect(Refusal.hint(at: "te\u{301}xt", among: ["text"]) == "; did you mean text?")
        #expect(Refusal.hint(at: "", among: ["id"]) == "")
    }

    @Test(
        "What a response showed can be sent back, with a value of its type",
        arguments: [
            ("id", #""x""#), ("created_at", #""2026-01-01T12:00:00Z""#), ("updated_at", #""2026-01-01T12:00:00Z""#),
            ("secret_set", "true"),
        ])
    func response(_ name: String, _ value: String) throws {
        #expect(try read(#"{"text":"a","\#(name)":\#(value)}"#).text == "a")
        for other in ["null", "1", name == "secret_set" ? #""x""# : "true"] + (name.hasSuffix("_at") ? [#""x""#] : []) {
            #expect(throws: Refusal.invalidField(name, "must be as the response had it; or leave the member out")) {
                try read(#"{"text":"a","\#(name)":\#(other)}"#)
            }
        }
    }

    @Test(
        "A wrong value is refused as by any decoder",
        arguments: [
            "[]", "null", #"{"text":1}"#, #"{"text":null}"#, #"{}"#, #"{"text":"a","count":"1"}"#,

            #"{"text":"a","isSet":1}"#, #"{"text":"a","entries":{}}"#,
            #"{"text":"a","entries":[1]}"#, #"{"text":"a","entries":[{}]}"#, #"{"text":"a","map":{"x":"y"}}"#,
            #"{"text":"a""#,
            #"{"text":"a","text":"b"}"#, #"{"text":"\u0000"}"#,
        ])
    func wrong(_ json: String) throws {
        let expected = #expect(throws: Refusal.self) { try JSONBody.read(Body.self, from: Data(json.utf8)) }
        let refusal = #expect(throws: Refusal.self) { try read(json) }
        #expect(refusal == expected)
    }

    @Test("The last of thousands of objects is checked, too")
    func manyObjects() {
        let entries = Array(repeating: #"{"name":"b"}"#, count: 4000).joined(separator: ",")
        let json = #"{"text":"a","entries":[\#(entries),{"name":"b","x":1}]}"#
        #expect(throws: Refusal.invalidField("entries[4000].x", "is unknown")) { try read(json) }
    }

    @Test(
        "The distance of two names is the number of edits",
        arguments: [
            ("", "", 0), ("a", "", 1), ("status", "status", 0), ("statsu", "status", 2), ("limit", "limits", 1),
        ])
    func distance(first: String, second: String, edits: Int) {
        #expect(SimilarName.distance(first, second) == edits && SimilarName.distance(second, first) == edits)
    }
}
