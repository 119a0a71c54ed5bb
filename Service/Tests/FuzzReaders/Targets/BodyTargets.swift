import Foundation
import SessionDomain
import SessionTokens

extension FuzzTarget {
    /// Bodies of requests. Every kind of body reads every input that is JSON.
    static func bodies() throws -> [FuzzTarget] {
        let names = BodyReader.all.flatMap(\.seeds).flatMap(names)
        return [
            FuzzTarget(
                "JSON bodies", seeds: BodyReader.all.flatMap(\.seeds) + rejected,
                words: Set(names).sorted().map { "\"\($0)\":" } + [
                    #""a":"!","#, #""a":"!","a":"!""#, #""\u0061":1,"a":2"#, #"\u0000"#, #"\ud83d\ude00"#, "!",
                    String(repeating: "[", count: 12), String(repeating: "]", count: 12), #"{"a":"#, "1.0", "1e2",
                    "true", "null", "-9223372036854775809",
                ]
            ) { bytes in
                let data = Data(bytes)
                let isJSON = (try? TokenJSON.decode(JSONValue.self, from: data)) != nil
                guard isJSON else {
                    // All kinds share the JSON reader, so one of them is enough.
                    try require(try !reads(BodyReader.all[0], data), "a body was read from invalid JSON")
                    return false
                }
                return try BodyReader.all.map { try reads($0, data) }.contains(true)
            }
        ]
    }

    private static func reads(_ body: BodyReader, _ data: Data) throws -> Bool {
        do {
            guard let written = try body.read(data) else { return true }
            let again = try? body.read(written)
            try require(again == written, "\(body.name) differs after it was written and read again")
            return true
        } catch Refusal.invalidField(let field, let problem) {
            for text in [field, problem] {
                try require((1...200).contains(text.utf8.count), "an error text is empty or too long")
                try require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "an error text is not printable")
                try require(!text.contains("!"), "an error text of \(body.name) contains a value of the body")
            }
            return false
        }
    }

    /// Bodies that are rejected for a name or a type, which the error text could repeat.
    private static let rejected = [
        #"{"scope":"a","metadata":{"a b!":1}}"#, #"{"a b!":1,"a b!":2}"#, #"{"status":{"a!":1}}"#,
        #"{"profile":["a!"]}"#,
    ]

    /// The names of the members of a seed.
    private static func names(_ seed: String) -> [String] {
        seed.matches(of: /"([a-z_]+)":/).map { String($0.1) }
    }
}
