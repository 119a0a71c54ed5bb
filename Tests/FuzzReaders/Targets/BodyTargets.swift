import Foundation
import SessionDomain
import SessionTokens

extension FuzzTarget {
    /// Bodies of requests: every kind tries to read every input that is JSON.
    static func bodies() throws -> [FuzzTarget] {
        let names = BodyReader.all.flatMap(\.seeds).flatMap(names)
        return [
            FuzzTarget(
                "JSON bodies", seeds: BodyReader.all.flatMap(\.seeds) + refused,
                words: Set(names).sorted().map { "\"\($0)\":" } + [
                    #""a":"!","#, #""a":"!","a":"!""#, #""\u0061":1,"a":2"#, #"\u0000"#, #"\ud83d\ude00"#, "!",
                    String(repeating: "[", count: 12), String(repeating: "]", count: 12), #"{"a":"#, "1.0", "1e2",
                    "true", "null", "-9223372036854775809",
                ]
            ) { bytes in
                let data = Data(bytes)
                let isJSON = (try? TokenJSON.decode(JSONValue.self, from: data)) != nil
                guard isJSON else {
                    // What every kind has in common; one of them is enough.
                    try require(try !reads(BodyReader.all[0], data), "a body is read of what is no strict JSON")
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
            try require(again == written, "\(body.name) is written as something that is read as another")
            return true
        } catch Refusal.invalidField(let field, let problem) {
            for text in [field, problem] {
                try require((1...200).contains(text.utf8.count), "a refusal says nothing, or has no end")
                try require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a refusal is not printable")
                try require(!text.contains("!"), "a refusal of \(body.name) quotes what was sent")
            }
            return false
        }
    }

    /// Bodies that are refused for a name or a type, which a refusal could repeat.
    private static let refused = [
        #"{"scope":"a","metadata":{"a b!":1}}"#, #"{"a b!":1,"a b!":2}"#, #"{"status":{"a!":1}}"#,
        #"{"profile":["a!"]}"#,
    ]

    /// The names of the members of a seed.
    private static func names(_ seed: String) -> [String] {
        seed.matches(of: /"([a-z_]+)":/).map { String($0.1) }
    }
}
